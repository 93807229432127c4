/**
 * proto-comments: what the .proto files say about each of their names, as a module.
 *
 * In the loop   buf generate → **CodeGeneratorRequest → src/gen/proto-comments.ts** → OpenAPI, docs/api-reference.md
 * Takes         the bytes that a protoc plugin gets.
 * Gives         the bytes that it answers with: one file, a record from full name (`heimdall.v1.Job.node_constraints`) to
 *               the comment before it, unwrapped. What has no comment is not in it.
 * Pure
 * Source        google/protobuf/descriptor.proto, SourceCodeInfo.Location.path; compiler/plugin.proto.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponse_Feature,
  CodeGeneratorResponseSchema,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";

export function answerProtoc(request: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { protoFile, fileToGenerate } = fromBinary(CodeGeneratorRequestSchema, request);
  const ours = protoFile.filter(
    ({ name, package: of }) => fileToGenerate.includes(name) && !/^(google|grpc)\./.test(of),
  );
  const comments = Object.fromEntries(ours.flatMap(commentsOf));
  const content = `// Generated from the comments of proto/ by generate.sh. Do not edit.
/** Full name in the proto → what it says about it. */
export const protoComments: Readonly<Record<string, string>> = ${JSON.stringify(comments, undefined, 2)};
`;
  const file = [{ name: "proto-comments.ts", content }];
  const supportedFeatures = BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL);
  return toBinary(CodeGeneratorResponseSchema, create(CodeGeneratorResponseSchema, { file, supportedFeatures }));
}

function commentsOf(file: FileDescriptorProto): [name: string, comment: string][] {
  const names = namesByPath(file);
  return (file.sourceCodeInfo?.location ?? []).flatMap(({ path, leadingComments }): [string, string][] => {
    const name = names.get(path.join(" "));
    return name === undefined || leadingComments === ""
      ? []
      : [[`${file.package}.${name}`, unwrapped(leadingComments)]];
  });
}

/** Lines of one paragraph become one; a line that ends a sentence of its own needs no break here. */
const unwrapped = (comment: string) =>
  comment
    .trim()
    .split(/\s*\n\s*/)
    .join(" ");

/** Field numbers of descriptor.proto: a file has messages in 4, enums in 5, services in 6; each of these its parts in 2. */
function namesByPath({ messageType, enumType, service }: FileDescriptorProto): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const add = (path: string, name: string, parts: readonly { readonly name: string }[]) => {
    names.set(path, name);
    for (const [i, part] of parts.entries()) names.set(`${path} 2 ${i}`, `${name}.${part.name}`);
  };
  for (const [i, { name, field, nestedType }] of messageType.entries()) {
    if (nestedType.length > 0) throw new Error(`${name}: messages in messages are not supported`);
    add(`4 ${i}`, name, field);
  }
  for (const [i, { name, value }] of enumType.entries()) add(`5 ${i}`, name, value);
  for (const [i, { name, method }] of service.entries()) add(`6 ${i}`, name, method);
  return names;
}
