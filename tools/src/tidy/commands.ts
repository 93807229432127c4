/**
 * commands: a document that shows a command says who runs it.
 *
 * Takes   README.md and docs/, but for decision records, which tell of their day.
 * Keeps   each block of commands has `run=<a test>`, a test that reads the blocks of its name, or `not-run="<why>"`.
 */
import { blocksOf } from "../documents/blocks.ts";
import type { Finding, Rule } from "./finding.ts";

const isOurs = (path: string) => /^(?:README\.md|docs\/(?!decisions\/).*\.md)$/.test(path);
const form = 'after the language: run=<path of a test>, or not-run="<why>"';
/** How a test takes what it runs: the name of its own file is what it asks for. */
const taker = /\b(?:blocksFor|commandsFor)\(/;

export const commands: Rule = ({ path, text }, tree) => {
  if (!isOurs(path)) return [];
  return blocksOf(text).flatMap((block): Finding[] => {
    const at = { path, line: block.line, rule: "command" };
    if (block.unread !== undefined && (block.isCommands || /run/.test(block.unread)))
      return [{ ...at, what: `\`${block.unread}\` is not understood`, instead: form }];
    if (!block.isCommands) return [];
    if (block.notRunBecause !== undefined)
      return block.notRunBecause.split(/\s+/).length < 3
        ? [{ ...at, what: "is not run, and says not why", instead: form }]
        : [];
    if (block.runBy === undefined) return [{ ...at, what: "commands that nobody runs", instead: form }];
    const test = tree.read(block.runBy);
    if (test === undefined) return [{ ...at, what: `\`${block.runBy}\` does not exist`, instead: "a test that does" }];
    return taker.test(test)
      ? []
      : [{ ...at, what: `\`${block.runBy}\` does not take it`, instead: "blocksFor(import.meta.url) in that test" }];
  });
};
