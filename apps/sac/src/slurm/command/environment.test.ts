import { expect, test } from "vitest";
import { commandEnvironment } from "./environment.ts";

test("nothing of an operator's shell changes what Slurm's commands answer", () => {
  const env = {
    PATH: "/opt/slurm/bin",
    SLURM_CONF: "/etc/slurm.conf",
    SQUEUE_STATES: "R",
    SCANCEL_PARTITION: "b",
    SLURM_TIME_FORMAT: "relative",
    LC_ALL: "de_DE",
    TOKEN: "x",
  };
  expect(commandEnvironment(env)).toEqual({
    PATH: "/opt/slurm/bin",
    SLURM_CONF: "/etc/slurm.conf",
    LC_ALL: "C",
    SLURM_TIME_FORMAT: "%s",
  });
  expect(commandEnvironment({})["PATH"]).toBe("/usr/local/bin:/usr/bin:/bin");
});
