/**
 * Goal    a worker knows who it is, and a plan that cannot be carried out is refused by name.
 * Method  tables.
 */
import { expect, test } from "vitest";
import { parseStepLines, stepLine } from "./lines.ts";
import { faultNow, parseFaults, parseSettings, type FaultKind } from "./settings.ts";

const slurm = {
  TRAIN_DIR: "/d",
  TRAIN_RUN_ID: "1-0",
  SLURM_PROCID: "2",
  SLURM_NTASKS: "4",
  SLURM_LOCALID: "0",
  SLURMD_NODENAME: "n2",
  SLURM_NODEID: "1",
};

test("who a worker is comes from Slurm, and the first attempt has no restart count", () => {
  expect(parseSettings(slurm)).toMatchObject({
    rank: 2,
    worldSize: 4,
    localRank: 0,
    node: "n2",
    nodeIndex: 1,
    attempt: 0,
  });
  expect(parseSettings({ ...slurm, SLURM_RESTART_COUNT: "3" }).attempt).toBe(3);
});

test("a missing or senseless setting is named", () => {
  expect(() => parseSettings({ ...slurm, TRAIN_DIR: "" })).toThrow("TRAIN_DIR: missing, expected a value");
  expect(() => parseSettings({ ...slurm, TRAIN_STEPS: "many" })).toThrow(
    "TRAIN_STEPS: many, expected an integer of at least 1",
  );
  expect(() => parseFaults("[")).toThrow("TRAIN_FAULTS: [, expected JSON");
  expect(() => parseFaults('[{"attempt":0,"node":1,"step":5,"kind":"boom"}]')).toThrow(
    "TRAIN_FAULTS[0].kind: boom, expected one of ecc, exit",
  );
});

// biome-ignore format: a table
const cases: [who: string, change: Record<string, string>, step: number, fault: FaultKind | undefined][] = [
  ["the node by its index",            {},                                        7,  "exit"],
  ["another step",                     {},                                        8,  undefined],
  ["another attempt",                  { SLURM_RESTART_COUNT: "1" },              7,  undefined],
  ["another rank of the same node",    { SLURM_LOCALID: "1" },                    7,  undefined],
  ["another node",                     { SLURM_NODEID: "0" },                     7,  undefined],
  ["the node by its name",             { SLURMD_NODENAME: "n9" },                 20, "slow"],
  ["slow lasts",                       { SLURMD_NODENAME: "n9" },                 25, "slow"],
];
test.each(cases)("a fault is for one rank at one moment: %s", (_, change, step, fault) => {
  const TRAIN_FAULTS =
    '[{"attempt":0,"node":1,"step":7,"kind":"exit"},{"attempt":0,"node":"n9","step":20,"kind":"slow"}]';
  expect(faultNow(parseSettings({ ...slurm, TRAIN_FAULTS, ...change }), step)).toBe(fault);
});

test("a step line has Megatron's form and reads back", () => {
  const line = stepLine({
    step: 5,
    steps: 200,
    consumedSamples: 40960,
    elapsedMs: 51.23,
    loss: 1.234567,
    rate: 0.5,
    globalBatch: 8192,
    gradientNorm: 0.0941,
  });
  expect(line).toBe(
    " iteration        5/     200 | consumed samples:        40960 | elapsed time per iteration (ms): 51.2 | learning rate: 5.000000E-01 | global batch size:  8192 | lm loss: 1.234567E+00 | loss scale: 1.0 | grad norm: 0.094 | number of skipped iterations:   0 | number of nan iterations:   0 |",
  );
  expect(parseStepLines(`training ...\n${line}\nsrun: error\n`)).toEqual([
    { step: 5, steps: 200, consumedSamples: 40960, elapsedMs: 51.2, loss: 1.234567 },
  ]);
});
