/**
 * pack-files: reads the signature packs of some folders.
 *
 * Takes   folders in order, the built-in one first; every `*.yaml` in them, by name.
 * Gives   all signatures. A later folder replaces a signature by giving one with the same id.
 * Fails   throws when a folder or pack cannot be read, an id is used twice in one folder, or an example line of a
 *         signature is not matched by it: a watcher does not start with patterns that do not do what they say.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createMatcher } from "./matcher.ts";
import { parsePack } from "./parse-pack.ts";
import type { Signature } from "./signature.ts";

export function loadSignatures(folders: readonly string[]): readonly Signature[] {
  const all = new Map<string, Signature>();
  for (const folder of folders) {
    const own = new Set<string>();
    for (const name of readdirSync(folder)
      .filter((n) => n.endsWith(".yaml"))
      .toSorted()) {
      const path = join(folder, name);
      for (const signature of parsePack(readFileSync(path, "utf8"), path)) {
        if (own.has(signature.id)) throw new Error(`${path}: the id ${signature.id} is used twice in ${folder}`);
        own.add(signature.id);
        all.set(signature.id, signature);
      }
    }
  }
  const signatures = [...all.values()];
  for (const { id, explains } of signatures) {
    const unknown = explains.find((other) => !all.has(other));
    if (unknown !== undefined) throw new Error(`signature ${id} explains ${unknown}, which is no signature`);
  }
  const wrong = brokenExamples(signatures);
  if (wrong.length > 0) throw new Error(`signatures that do not match their own examples:\n${wrong.join("\n")}`);
  return signatures;
}

/** Each signature against its own lines, alone: what another signature says of them is not its business. */
export function brokenExamples(signatures: readonly Signature[]): readonly string[] {
  const wrong: string[] = [];
  for (const signature of signatures) {
    const matcher = createMatcher([signature]);
    const capturesIn = (line: string) =>
      signature.where === "traceback-end" ? matcher.matchTracebackEnd(line) : matcher.matchText(line)[0];
    for (const { line, gives } of signature.yes) {
      const found = capturesIn(line);
      if (found === undefined) wrong.push(`${signature.id}: not matched: ${line}`);
      for (const [name, value] of Object.entries(gives)) {
        const is = found?.captures[name];
        if (found !== undefined && is !== value)
          wrong.push(`${signature.id}: ${name} is ${is}, expected ${value}: ${line}`);
      }
    }
    for (const line of signature.no)
      if (capturesIn(line) !== undefined) wrong.push(`${signature.id}: matched: ${line}`);
  }
  return wrong;
}
