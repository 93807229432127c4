/** blocks-for: what a test has to run of the documents: all blocks that name its file, in the order of the documents and in theirs. */
import { readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Block, blocksOf } from "@reprise/tools/documents/blocks.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Shown extends Block {
  /** From the root of the repository. */
  readonly path: string;
}

const documents = [
  "README.md",
  ...readdirSync(`${root}docs`)
    .sort()
    .map((name) => `docs/${name}`),
].filter((path) => path.endsWith(".md"));

export const allBlocks: readonly Shown[] = documents.flatMap((path) =>
  blocksOf(readFileSync(`${root}${path}`, "utf8")).map((block) => ({ ...block, path })),
);

/** @param url  `import.meta.url` of the test. @throws Error where no document names it. */
export function blocksFor(url: string): readonly Shown[] {
  const test = relative(root, fileURLToPath(url));
  const found = allBlocks.filter(({ runBy }) => runBy === test);
  if (found.length === 0) throw new Error(`no document has a block with run=${test}`);
  return found;
}
