/**
 * run-tool: one program of the machine: `tar`, `pg_dump`, `pg_restore`.
 *
 * Fails   `precondition` with the last of its own words, or that it is not installed.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Refusal } from "@reprise/core/refusal.ts";
import { environment } from "@reprise/runtime/environment.ts";

const outputBytesMax = 16 * 1024 * 1024;
const wordsMax = 600;

/** @returns What it printed. Secrets go into `env`: arguments are seen by everybody. */
export async function runTool(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { env: { ...environment(), LC_ALL: "C", ...env }, maxBuffer: outputBytesMax };
  try {
    return (await promisify(execFile)(program, [...args], options)).stdout;
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    const why = code === "ENOENT" ? "is not installed on this machine" : stderr.trim().slice(-wordsMax);
    throw new Refusal("precondition", `${program}: ${why === "" ? `ended with ${String(code)}` : why}`);
  }
}
