/**
 * Goal    what SAC raises and what the watchdog raises do not lower one another, in whatever order they read and write.
 * Method  real files in a folder of their own; both programs' view of them.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBeside } from "./beside.ts";
import { whyStopped } from "./slurm/command/fence-file.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "beside-"))));
afterEach(() => rmSync(folder, { recursive: true }));

test("nobody has raised anything", () => {
  expect(openBeside(folder).fence()).toEqual({ leaseTerm: 0, epoch: 0 });
});

test("each raises its own, and neither is lowered", () => {
  const [sac, watchdog] = [openBeside(folder), openBeside(folder)];
  expect(sac.raiseFence({ leaseTerm: 4 })).toEqual({ leaseTerm: 4, epoch: 0 });
  expect(watchdog.raiseFence({ epoch: 1 })).toEqual({ leaseTerm: 4, epoch: 1 });
  expect(sac.raiseFence({ leaseTerm: 3 })).toEqual({ leaseTerm: 4, epoch: 1 });
});

test("a SAC that was stopped while it wrote its term does not take the watchdog's epoch back", () => {
  const watchdog = openBeside(folder);
  watchdog.raiseFence({ epoch: 2 });
  writeFileSync(join(folder, "fence.json"), '{"leaseTerm":5}'); // Its write arrives after the epoch was raised.
  expect(watchdog.fence()).toEqual({ leaseTerm: 5, epoch: 2 });
});

test("a file that cannot be read is no fence to go past", () => {
  writeFileSync(join(folder, "epoch.json"), '{"epoch":');
  expect(() => openBeside(folder).fence()).toThrow(/epoch\.json holds .*expected epoch/);
});

test("what people have stopped is read by the child of a command, from the kill switch and from what SAC has written down", () => {
  const beside = openBeside(folder);
  const said = { reason: "maintenance", by: "ann", at: 0 };
  expect(whyStopped(folder)).toBeUndefined();
  beside.keepOrders({ generation: 1, mode: { ...said, mode: "act", partitions: ["gpu"] } });
  expect(whyStopped(folder)).toBeUndefined();
  beside.keepOrders({ generation: 2, stop: said });
  expect(whyStopped(folder)).toBe("stopped by ann: maintenance");
  beside.keepOrders({ generation: 3, mode: { ...said, mode: "observe", partitions: [] } });
  expect(whyStopped(folder)).toBe("observe mode, ordered by ann: maintenance");
  writeFileSync(join(folder, "kill-switch"), "");
  expect(whyStopped(folder)).toBe("the kill switch is on");
});
