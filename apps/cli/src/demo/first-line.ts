/** first-line: the first line that a child prints on its stdout: by it a program of ours says that it is ready. */
import type { ChildProcess } from "node:child_process";

/** Never resolves when the child ends without one. */
export function firstLine({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
  });
}
