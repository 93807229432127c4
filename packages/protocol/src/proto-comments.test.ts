/**
 * Goal    what the proto says about a name is found under it, and under no other.
 * Method  a small file as protoc gives it; the generated module of the real one.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CodeGeneratorRequestSchema, CodeGeneratorResponseSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { protoComments } from "./gen/proto-comments.ts";
import { answerProtoc } from "./proto-comments.ts";

const file = {
  name: "a/v1/a.proto",
  package: "a.v1",
  messageType: [{ name: "M" }, { name: "N", field: [{ name: "x" }, { name: "y" }] }],
  enumType: [{ name: "E", value: [{ name: "E_ONE" }] }],
  service: [{ name: "S", method: [{ name: "Get" }] }],
  sourceCodeInfo: {
    location: [
      { path: [12], leadingComments: " Of the file: nobody's.\n" },
      { path: [4, 1], leadingComments: " Two lines\n become one.\n" },
      { path: [4, 1, 2, 1], leadingComments: " Of y.\n" },
      { path: [5, 0, 2, 0], leadingComments: " Of E_ONE.\n" },
      { path: [6, 0, 2, 0], leadingComments: ' With "quotes".\n' },
      { path: [6, 0] },
    ],
  },
};
const answer = (fileToGenerate: string[], protoFile: object[]): string => {
  const request = create(CodeGeneratorRequestSchema, { fileToGenerate, protoFile });
  const bytes = answerProtoc(toBinary(CodeGeneratorRequestSchema, request));
  return fromBinary(CodeGeneratorResponseSchema, bytes).file[0]?.content ?? "";
};

test("each comment stands under the full name that it is before", () => {
  const content = answer([file.name], [file, { ...file, name: "b.proto", package: "b.v1" }]);
  expect(JSON.parse(content.slice(content.indexOf("= {") + 2, content.lastIndexOf("}") + 1))).toEqual({
    "a.v1.N": "Two lines become one.",
    "a.v1.N.y": "Of y.",
    "a.v1.E.E_ONE": "Of E_ONE.",
    "a.v1.S.Get": 'With "quotes".',
  });
});

test("a message inside another stops the generation: its comments would be lost", () => {
  const nested = { ...file, messageType: [{ name: "M", nestedType: [{ name: "I" }] }] };
  expect(() => answer([file.name], [nested])).toThrow("M: messages in messages are not supported");
});

test("the real ones are there, and nobody else's", () => {
  expect(protoComments["heimdall.v1.GetJobsRequest.page_number"]).toBe("One-based. Excludes `page_token`.");
  expect(Object.keys(protoComments).filter((name) => !/^(heimdall|reprise)\.v1\./.test(name))).toEqual([]);
});
