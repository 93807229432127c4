/**
 * Goal    every signature we ship says what its examples say, alone and among the others.
 * Method  the packs' own example lines; and a table of lines that several signatures could claim.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMatcher } from "./matcher.ts";
import { brokenExamples, loadSignatures } from "./pack-files.ts";
import { parsePack } from "./parse-pack.ts";

const folder = fileURLToPath(new URL("../../../../signatures", import.meta.url));
const signatures = loadSignatures([folder]);
const matcher = createMatcher(signatures);

test("there are two hundred signatures or more, each with lines that it must not match", () => {
  expect(signatures.length).toBeGreaterThanOrEqual(200);
  expect(signatures.filter((s) => s.no.length === 0).map((s) => s.id)).toEqual([]);
});

test("every signature matches its positive examples and none of its negative ones", () => {
  expect(brokenExamples(signatures)).toEqual([]);
});

test.each(signatures.filter((s) => s.where === "line").map((s) => [s.id, s] as const))(
  "an anchor of %s is in each of its lines",
  (_id, s) => {
    for (const { line } of s.yes)
      expect(
        s.anchors.some((a) => line.includes(a)),
        line,
      ).toBe(true);
  },
);

test.each(signatures.map((s) => [s.id, s] as const))("no other signature takes the lines of %s away", (_id, s) => {
  for (const { line } of s.yes) {
    const found = s.where === "line" ? matcher.matchText(line) : [matcher.matchTracebackEnd(line)];
    expect(
      found.map((f) => f?.signature.id),
      line,
    ).toContain(s.id);
  }
});

describe("of several things in one line the cause speaks", () => {
  // biome-ignore format: a table is read by its columns
  const lines: [cause: string, line: string][] = [
    ["cuda-ecc-uncorrectable", "[Rank 1] NCCL watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered"],
    ["advice",                 "CUDA kernel errors might be asynchronously reported at some other API call"],
    ["segmentation-fault",     "srun: error: n2: task 1: Segmentation fault"],
    ["srun-exit",              "srun: error: n2: task 1: Exited with exit code 1"],
    ["node-disk-full",         "OSError: [Errno 28] No space left on device: '/tmp/x'"],
    ["shared-disk-full",       "OSError: [Errno 28] No space left on device: '/shared/x'"],
    ["disk-full",              "OSError: [Errno 28] No space left on device"],
    ["bus-error-data-loader",  "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Bus error. It is possible that"],
    ["cuda-out-of-memory",     "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1 GiB"],
    ["credential-revoked",     "srun: error: Task launch for StepId=12.0 failed on node n1: Job credential revoked"],
  ];
  test.each(lines)("%s", (cause, line) => expect(matcher.matchText(line)[0]?.signature.id).toBe(cause));

  test("and what it says of progress is heard as well", () => {
    const found = matcher.matchText(" iteration 12/ 200 | elapsed time per iteration (ms): 101.2 | lm loss: nan |");
    expect(found.map((f) => f.signature.id)).toEqual(["megatron-step", "loss-not-finite"]);
  });
});

describe("the end of a traceback", () => {
  // biome-ignore format: a table is read by its columns
  const ends: [cause: string, line: string][] = [
    ["python-exception",       "KeyError: 'input_ids'"],
    ["cuda-ecc-uncorrectable", "RuntimeError: CUDA error: uncorrectable ECC error encountered"],
    ["python-file-missing",    "FileNotFoundError: [Errno 2] No such file or directory: '/data/x'"],
    ["peer-gone",              "ConnectionResetError: [Errno 104] Connection reset by peer"],
    ["rendezvous-timeout",     "RuntimeError: Socket Timeout"],
    ["python-follows",         "KeyboardInterrupt"],
  ];
  test.each(ends)("%s", (cause, line) => expect(matcher.matchTracebackEnd(line)?.signature.id).toBe(cause));
});

describe("a line", () => {
  const find = (bytes: Uint8Array) =>
    matcher.match({ bytes, from: 0, to: bytes.length })?.found.map((f) => f.signature.id);

  test("is read through its colours, even inside an anchor", () => {
    expect(find(Buffer.from("CUDA error: uncorrectable \u001b[31mECC\u001b[0m error"))).toEqual([
      "cuda-ecc-uncorrectable",
    ]);
  });
  test("is read through bytes that are no UTF-8", () => {
    expect(find(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("NVRM: Xid (PCI:0000:44:00): 79, x")]))).toEqual([
      "xid-fatal",
    ]);
  });
  test("of a megabyte is read around its first anchor", () => {
    const long = Buffer.from("x".repeat(900_000) + " CUDA error: uncorrectable ECC error " + "y".repeat(100_000));
    expect(find(long)).toEqual(["cuda-ecc-uncorrectable"]);
  });
  test("of 10,000 characters is read around the anchor of each signature", () => {
    const filler = "x".repeat(5_000);
    const line = `MASTER_ADDR ${filler} CUDA error: uncorrectable ECC error ${filler}`;
    expect(find(Buffer.from(line))).toEqual(["cuda-ecc-uncorrectable"]);
    expect(matcher.matchTracebackEnd(`ValueError: ${filler}`)?.signature.id).toBe("python-exception");
  });
  test("that says nothing is not even decoded", () => {
    expect(matcher.match({ bytes: Buffer.from("building the model"), from: 0, to: 18 })).toBeUndefined();
  });
});

describe("a site's own pack", () => {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const examples = [...readme.matchAll(/^```yaml\n([^]*?)^```/gm)].map((match) => match[1]!);

  function withSite(pack: string) {
    const site = mkdtempSync(join(tmpdir(), "reprise-packs-"));
    onTestFinished(() => rmSync(site, { recursive: true, force: true }));
    writeFileSync(join(site, "ours.yaml"), pack);
    return loadSignatures([folder, site]);
  }

  test("gives a step format of its own, as the README shows it", () => {
    expect(examples).toHaveLength(2);
    const own = createMatcher(withSite(examples[1]!));
    expect(own.matchText("progress at update 120 of 9000")).toMatchObject([{ captures: { step: "120" } }]);
  });
  test("replaces an entry of the same id", () => {
    const all = withSite(examples[0]!);
    expect(all).toHaveLength(signatures.length);
    expect(all.find((s) => s.id === "nccl-duplicate-gpu")?.source).toBe("https://github.com/NVIDIA/nccl");
  });
  test("is refused when it explains what is no signature", () => {
    expect(() => withSite(examples[0]!.replace("nccl-invalid-usage", "nothing"))).toThrow("explains nothing");
  });
  test("is refused with its line when an example is not matched", () => {
    expect(() => withSite(examples[1]!.replace("at update 120", "at step 120"))).toThrow("our-step: not matched");
  });
});

describe("a pack is refused", () => {
  const entry = "- {id: a, kind: finished, anchors: [done now], expression: done now, source: s, yes: [done now]";
  // biome-ignore format: a table is read by its columns
  const packs: [why: string, pack: string, words: string][] = [
    ["with an unknown key",       `${entry}, exitindependent: true}`,  "p:1 (a): unknown key exitindependent"],
    ["with a short anchor",       entry.replace("[done now]", "[don]") + "}", `anchors is ["don"]; expected literals of 4 characters`],
    ["with an unknown kind",      entry.replace("finished", "end") + "}",     `kind is "end"; expected one of`],
    ["with a broken expression",  entry.replace("expression: done now", "expression: '('") + "}", "not a regular expression"],
    ["with an unknown capture",   entry.replace("expression: done now", "expression: '(?<who>done)'") + "}", "not who"],
    ["that is no list",           "a: b",                              "p: expected a list"],
    ["with a quantifier in another", entry.replace("expression: done now", "expression: '(?:done )+now(?:\\s+\\w+)*!'") + "}", "a repeated group repeats inside"],
    ["at its own line",           `- {id: b, kind: finished, anchors: [done now], expression: done now, source: s, yes: [done now]}\n${entry}, x: 1}`, "p:2 (a): unknown key x"],
    ["that is no YAML",           "- {id: a", "p: "],
    ["without a cause class",     entry.replace("finished", "crash") + "}",   "class is undefined; expected one of"],
  ];
  test.each(packs)("%s", (_why, pack, words) => expect(() => parsePack(pack, "p")).toThrow(words));
});
