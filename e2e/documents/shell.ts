/** shell: types a command of a document, as a reader would, and gives what it said. */
import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Said {
  readonly code: number;
  /** Both of its outputs. */
  readonly words: string;
}

export interface Where {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Enter is pressed, once, when it has said this. Absent: it has no keyboard. */
  readonly enterAt?: RegExp;
}

export async function type(command: string, { cwd, env, enterAt }: Where): Promise<Said> {
  const keyboard = enterAt === undefined ? "ignore" : "pipe";
  const child = spawn("bash", ["-c", command], { cwd, env, stdio: [keyboard, "pipe", "pipe"] });
  let words = "";
  for (const pipe of [child.stdout, child.stderr])
    pipe?.on("data", (part: Buffer) => {
      words += part.toString();
      if (enterAt?.test(words) === true && child.stdin?.writableEnded === false) child.stdin.end("\n");
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code: code ?? 1, words };
}

/** Lines that the document shows and the answer has not, in this order. `…` stands for anything. */
export function missingIn(words: string, shown: readonly string[]): readonly string[] {
  const lines = words.split("\n").map((line) => line.trim());
  let from = 0;
  return shown.filter((line) => {
    const form = new RegExp(`^${line.trim().split("…").map(literal).join(".*")}$`);
    const at = lines.findIndex((said, i) => i >= from && form.test(said));
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
