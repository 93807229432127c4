/** server-world: a small HTTP server that gives fixed answers and keeps what it was asked; and the commands as the command line has them. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Command } from "commander";
import { onTestFinished } from "vitest";
import type { Console } from "../console.ts";
import { fakeConsole } from "./fake-console.ts";

export type Define = (command: Command, console: Console) => void;

/** @param answers By path, without the query. What is not in it is not found. */
export async function serverWorld(answers: Readonly<Record<string, object>>) {
  const asked: [call: string, body: unknown][] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      asked.push([`${request.method} ${request.url}`, text === "" ? undefined : JSON.parse(text)]);
      const answer = answers[(request.url ?? "").split("?")[0] ?? ""];
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer ?? { code: 5, message: "not known" }));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const env = { REPRISE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const call = async (define: Define, ...rest: string[]) => {
    const console = fakeConsole(env);
    const command = new Command("reprise").exitOverride().configureOutput({ writeErr: () => {} });
    define(command, console);
    for (const one of command.commands) one.configureOutput({ writeErr: () => {} });
    await command.parseAsync(rest, { from: "user" });
    return console.outText();
  };
  return { asked, call };
}
