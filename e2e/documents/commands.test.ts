/**
 * Goal    whatever a document tells somebody to type is there: each command of `reprise` with its options, each target of `make` with its
 *         variables; also where no test can run it, and in the middle of a sentence.
 * Method  the command line's own help; the Makefile.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { typedIn } from "@reprise/tools/documents/blocks.ts";
import { allBlocks, root } from "./blocks-for.ts";

const run = promisify(execFile);
const program = `${root}apps/cli/src/main.ts`;
const documents = [...new Set(allBlocks.map(({ path }) => path))].map((path) => ({
  path,
  text: readFileSync(`${root}${path}`, "utf8"),
}));
const inSentences = documents.flatMap(({ path, text }) =>
  [...text.replace(/^ *```[^]*?^ *```/gm, "").matchAll(/`([^`]+)`/g)].flatMap(([, command = ""]) =>
    /^(?:[A-Z_]+=\S+ )*(?:bin\/reprise|reprise|make) /.test(command) ? [{ path, command }] : [],
  ),
);
const inBlocks = allBlocks
  .filter(({ isCommands }) => isCommands)
  .flatMap((block) => typedIn(block).map(({ command }) => ({ path: block.path, command })));
const all = [...inBlocks, ...inSentences].map(({ path, command }) => ({
  path,
  command: command.replace(/\s+/g, " ").replace(/ #.*$/, ""),
}));

/** `reprise jobs override 12345 never --reason …` → `jobs override`, and its options. What stands behind `--` is of another program. */
const calls = all.flatMap(({ path, command }) =>
  [
    ...command
      .split(" -- ")
      .slice(0, 1)
      .join()
      .matchAll(/(?:^|[ (])(?:bin\/)?reprise ([a-z]+)(?![=a-z])((?: [^&|;>]*)?)/g),
  ].map(([, verb = "", rest = ""]) => ({ path, verb, rest, options: rest.match(/--[a-z][a-z-]+/g) ?? [] })),
);
const nested: Readonly<Record<string, readonly string[]>> = {
  jobs: ["show", "override"],
  advice: ["withdraw"],
  mode: ["observe", "act"],
  nodes: ["clear"],
  notify: ["test"],
  policy: ["check"],
  token: ["create", "list", "revoke"],
  workflows: ["show"],
};
const nameOf = ({ verb, rest }: (typeof calls)[number]) => {
  const [below = ""] = rest.trim().split(" ");
  return nested[verb]?.includes(below) === true ? `${verb} ${below}` : verb;
};

test("each command of `reprise` in the documents is there, with its options", { timeout: 240_000 }, async () => {
  expect(calls.length).toBeGreaterThan(60);
  const { stdout: list } = await run(process.execPath, [program, "--help"]);
  expect(calls.filter(({ verb }) => !new RegExp(`^  ${verb} `, "m").test(list))).toEqual([]);
  const helps = new Map<string, string>();
  for (const name of new Set(calls.filter(({ options }) => options.length > 0).map(nameOf))) {
    const { stdout } = await run(process.execPath, [program, ...name.split(" "), "--help"]);
    expect(stdout, name).toContain(`Usage: reprise ${name}`);
    helps.set(name, stdout);
  }
  const wrong = calls.flatMap((call) =>
    call.options
      .filter((option) => helps.get(nameOf(call))?.includes(option) !== true)
      .map((option) => `${call.path}: reprise ${nameOf(call)} has no ${option}`),
  );
  expect(wrong).toEqual([]);
});

test("each target of `make` in the documents is there, and reads the variables that are given", () => {
  const makefile = readFileSync(`${root}Makefile`, "utf8");
  const made = all.flatMap(({ path, command }) =>
    [...command.matchAll(/(?:^|[ ;&])make ([a-z][a-z-]*)((?: [A-Z]+=(?:"[^"]*"|\S*))*)/g)].map(
      ([, target = "", given = ""]) => ({
        path,
        target,
        variables: [...given.matchAll(/ ([A-Z]+)=/g)].map(([, v]) => v),
      }),
    ),
  );
  expect(made.length).toBeGreaterThan(15);
  const wrong = made.flatMap(({ path, target, variables }) => {
    const recipe = new RegExp(`^${target}:.*\\n(?:\\t.*\\n)*`, "m").exec(makefile)?.[0];
    if (recipe === undefined) return [`${path}: make ${target} is no target`];
    return variables
      .filter((name) => !recipe.includes(`$(${name})`) && !recipe.includes(`$(or $(${name})`))
      .map((name) => `${path}: make ${target} does not read ${name}`);
  });
  expect(wrong).toEqual([]);
});
