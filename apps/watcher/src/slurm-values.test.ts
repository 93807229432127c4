/** Goal: what Slurm showed of an attempt is read as text where there is any. Method: a table. */
import { expect, test } from "vitest";
import { textIn } from "./slurm-values.ts";

test.each([
  [{ recordId: "98" }, "98"],
  [{ recordId: 98 }, "98"],
  [{ recordId: "" }, undefined],
  [{ recordId: null }, undefined],
  [{}, undefined],
])("%j", (slurm, text) => expect(textIn(slurm, "recordId")).toBe(text));
