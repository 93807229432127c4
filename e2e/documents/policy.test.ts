/**
 * Goal    the comments that the documents show are covered as they stand there, and the broken one is told as it is shown.
 * Method  `reprise policy check` on a batch script with the lines of the document.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "@reprise/runtime/environment.ts";
import { typedIn } from "@reprise/tools/documents/blocks.ts";
import { afterAll, expect, test } from "vitest";
import { blocksFor, root } from "./blocks-for.ts";
import { missingIn, type } from "./shell.ts";

const cwd = mkdtempSync(join(tmpdir(), "documents-"));
afterAll(() => rmSync(cwd, { recursive: true }));
const env = { ...environment(), PATH: `${cwd}/bin:${environment()["PATH"] ?? ""}` };
mkdirSync(join(cwd, "bin"));
writeFileSync(join(cwd, "bin/reprise"), `#!/bin/sh\nexec ${process.execPath} ${root}apps/cli/src/main.ts "$@"\n`);
chmodSync(join(cwd, "bin/reprise"), 0o755);
const blocks = blocksFor(import.meta.url);
const isScript = ({ text }: { readonly text: string }) => text.startsWith("#SBATCH");

test.each(blocks.filter(isScript))("$path:$line opts in", { timeout: 60_000 }, async ({ text }) => {
  writeFileSync(join(cwd, "train.sbatch"), `#!/bin/bash\n${text}\nsrun python -u train.py\n`);
  const { code, words } = await type("reprise policy check train.sbatch", { cwd, env });
  expect(words).toMatch(/^covered/m);
  expect(code).toBe(0);
});

test.each(blocks.filter((block) => !isScript(block)))("$path:$line is said so", { timeout: 60_000 }, async (block) => {
  const comment = `'{"recovery": {"auto_resume_mode": "requeu", "max_requeue_times": 50}}'`;
  writeFileSync(
    join(cwd, "train.sbatch"),
    `#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --requeue\n#SBATCH --comment=${comment}\nsrun python -u train.py\n`,
  );
  for (const { command, says } of typedIn(block)) {
    const { code, words } = await type(command, { cwd, env });
    expect(missingIn(words, says), words).toEqual([]);
    expect(code).toBe(1);
  }
});
