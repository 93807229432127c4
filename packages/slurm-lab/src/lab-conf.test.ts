/**
 * Goal    the text that Slurm reads is the one that was made to work, and no option breaks it.
 * Method  a golden file of one whole configuration; properties over option sets.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { gresConf, slurmConf, slurmdbdConf } from "./lab-conf.ts";
import { LabRefusal, planLab, type LabOptions } from "./lab-options.ts";

const place = { portBase: 20_032, host: "vm", user: "root" };
const keysOf = (conf: string) => conf.split("\n").flatMap((line) => line.split("=")[0] || []);

test("the configuration of a lab with every option reads as it did when it was made to work", async () => {
  const plan = planLab({
    dir: "/lab",
    nodes: 2,
    gpus: 4,
    credExpireSeconds: 5,
    killWaitSeconds: 30,
    minJobAgeSeconds: 10,
    slurmdTimeoutSeconds: 60,
    schedIntervalSeconds: 2,
    jobCompScript: "/lab/poke.sh",
    partitions: [{ name: "gpu" }, { name: "other", nodes: "n2" }],
    accounting: { operators: ["ops"] },
    extraConf: ["RequeueExit=100-110", "messagetimeout=20", "NodeName=n9 State=FUTURE"],
  });
  const text = `${slurmConf(plan, place)}--- gres.conf\n${gresConf(plan)}--- slurmdbd.conf\n${slurmdbdConf(plan, place)}`;
  await expect(text).toMatchFileSnapshot("testdata/slurm.conf.txt");
});

test("Slurm's own restart delay of 120 s is the default", () => {
  expect(slurmConf(planLab({ dir: "/lab" }), place)).toContain("cred_expire=120\n");
});

test("a lab with a backup has two controllers of one state, each on an address of its own", () => {
  const lines = slurmConf(planLab({ dir: "/lab", backup: true }), place).split("\n");
  expect(lines.slice(0, 3)).toEqual([
    "SlurmctldHost=primary(127.0.0.1)",
    "SlurmctldHost=backup(127.0.0.2)",
    "CommunicationParameters=NoCtldInAddrAny",
  ]);
});

test("no key stands twice, whatever is asked for", () => {
  const keys = fc.constantFrom("KillWait", "killwait", "RequeueExit", "SchedulerParameters", "jobcomptype");
  const lines = fc.tuple(keys, fc.stringMatching(/^[a-z0-9]{1,8}$/)).map(([key, value]) => `${key}=${value}`);
  fc.assert(
    fc.property(
      fc.array(lines, { maxLength: 6 }),
      fc.integer({ min: 1, max: 8 }),
      fc.boolean(),
      (extraConf, nodes, hooked) => {
        const options: LabOptions & { dir: string } = {
          dir: "/lab",
          extraConf,
          nodes,
          ...(hooked ? { jobCompScript: "/x" } : {}),
        };
        const single = keysOf(slurmConf(planLab(options), place))
          .map((key) => key.toLowerCase())
          .filter((key) => !/^(node|partition)name$/.test(key));
        expect(new Set(single).size).toBe(single.length);
      },
    ),
  );
});

test("no value is empty: Slurm does not start with one", () => {
  expect(
    slurmConf(planLab({ dir: "/lab" }), place)
      .split("\n")
      .filter((line) => line.endsWith("=")),
  ).toEqual([]);
});

test("a bad option is refused with its key, its value and what was expected", () => {
  const refused = (options: LabOptions, dir = "/lab") => {
    try {
      planLab({ dir, ...options });
    } catch (error) {
      if (error instanceof LabRefusal) return `${error.code} ${error.message}`;
      throw error;
    }
    return "taken";
  };
  expect(refused({ credExpireSeconds: 4 })).toBe("invalid credExpireSeconds: 4 is not an integer from 5 to 86400");
  expect(refused({ nodes: 1.5 })).toBe("invalid nodes: 1.5 is not an integer from 1 to 500");
  expect(refused({ extraConf: ["LaunchParameters="] })).toBe('invalid extraConf: "LaunchParameters=" is not Key=Value');
  expect(refused({ accounting: { operators: ["a;b"] } })).toBe(
    'invalid accounting.operators: "a;b" is not the name of a user',
  );
  expect(refused({}, "/with space")).toBe(
    'invalid dir: "/with space" is not an absolute path of letters, digits and ._-/',
  );
  expect(refused({}, `/${"long".repeat(25)}`)).toContain("is longer than the 107 bytes of a socket path");
  expect(refused({})).toBe("taken");
});
