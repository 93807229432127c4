/**
 * Goal    whatever is sent, the transcoder gives an answer or a refusal; and what it has read is what was written.
 * Method  a corpus of requests, as they are and mutated; random parts of requests. A request that once did harm is added to the corpus.
 *         The same corpus goes through the whole server in e2e/api/conformance.test.ts.
 */
import { readFileSync } from "node:fs";
import { fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AuditService } from "../gen/heimdall/v1/audit_pb.ts";
import { HeimdallService } from "../gen/heimdall/v1/heimdall_pb.ts";
import * as reprise from "../gen/reprise/v1/reprise_pb.ts";
import { mutated, type RawRequest, readCorpus } from "../testdata/mutate.ts";
import { createTranscoder } from "../transcode.ts";

const ours = Object.values(reprise).flatMap((one) => ("kind" in one && one.kind === "service" ? [one] : []));
const transcoder = createTranscoder([HeimdallService, AuditService, ...ours]);
const corpus = readCorpus(readFileSync(new URL("../testdata/corpus/requests.jsonl", import.meta.url), "utf8"));

/** Fails where it is neither, and where a request that was read is not the same after it was written. */
function send([method, target, body = ""]: RawRequest): string {
  const found = transcoder.find(method, target);
  if (found.kind !== "found") return found.kind;
  const read = found.read(body);
  if (read.kind === "refused") return read.refusal.message;
  const { input } = found.route.method;
  const again = fromJson(input, toJson(input, read.request));
  expect(toBinary(input, again)).toEqual(toBinary(input, read.request));
  return "read";
}

test.each(corpus)("%s %s %s is answered or refused", (...request) => {
  const answer = send(request);
  expect(answer.length).toBeLessThan(1000); // No echo of all that was sent.
});

test("and so is anything that is made from it", () => {
  fc.assert(
    fc.property(mutated(corpus), (request) => {
      expect(send(request).length).toBeLessThan(1000);
    }),
    { numRuns: 5000 },
  );
});
