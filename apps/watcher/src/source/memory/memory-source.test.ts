/**
 * Goal    the world in memory keeps the contract of a log source.
 * Method  the contract's suite.
 */
import { sourceContract } from "../source.contract.ts";
import { createMemorySource } from "./memory-source.ts";

sourceContract(() => {
  const source = createMemorySource({ now: () => 1_000 });
  return { source, folder: "/logs", append: source.append, truncate: source.truncate, rename: source.rename };
});
