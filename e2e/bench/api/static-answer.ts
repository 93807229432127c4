/** static-answer: the fastest HTTP server of this Node: one answer, given as the argument; prints its URL. */
import { createServer } from "node:http";

const body = process.argv[2] ?? "{}";
const headers = { "content-type": "application/json; charset=utf-8", "content-length": Buffer.byteLength(body) };
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
