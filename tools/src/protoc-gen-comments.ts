/** protoc-gen-comments: the plugin of packages/protocol/buf.gen.yaml that keeps the comments of the proto. */
import { arrayBuffer } from "node:stream/consumers";
import { answerProtoc } from "@reprise/protocol/proto-comments.ts";

process.stdout.write(answerProtoc(new Uint8Array(await arrayBuffer(process.stdin))));
