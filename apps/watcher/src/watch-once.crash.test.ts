/**
 * Goal    however the watcher dies, what the logs say is told once, for the right attempt, and everything is read to its end.
 * Method  a watcher with a fuse in its server and its files, which blows at the nth boundary, before or after each call; then a new
 *         one, which knows what the server knows. For n = 1, 2, 3 … until a run finishes with the fuse unblown. What is told must be
 *         what a watcher tells that never died.
 */
import { Fuse } from "@reprise/runtime/testing/fuse.ts";
import { expect, test } from "vitest";
import { eccLine, stepLine, World } from "./world.ts";

const out = "/logs/slurm-128.out";
const passMs = 225;

/** A pass at a time: a dead watcher is buried before the next. */
async function run(world: World, fuse: Fuse, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= passMs) {
    const wasBlown = fuse.blown;
    await world.run(passMs);
    if (fuse.blown && !wasBlown) world.kill();
  }
}

type Story = (world: World, wait: (ms: number) => Promise<void>) => Promise<void>;

/** Half a line, a fatal one, the last words, the end; then a restart that empties the log. */
const emptied: Story = async (world, wait) => {
  world.target({ heimdallJobId: "a0" });
  world.log.append(out, stepLine(1) + stepLine(2).slice(0, 20));
  await wait(450);
  world.log.append(out, stepLine(2).slice(20) + eccLine);
  await wait(450);
  world.log.append(out, "[rank3]: Traceback (most recent call last):\n[rank3]:   File a\n");
  await wait(450);
  world.log.append(out, "[rank3]: KeyError: 'x'\nsuccessfully saved checkpoint at iteration 2 to /c\n");
  world.target({ heimdallJobId: "a0", ended: true });
  await wait(2_700);
  begin(world, "a1");
  world.log.truncate(out);
  world.log.append(out, "  successfully loaded checkpoint from /c [ t 0 ] at iteration 2\n" + stepLine(3));
  await wait(900);
  world.log.append(out, stepLine(4));
  world.target({ heimdallJobId: "a1", ended: true });
  await wait(5_400);
};

/** A restart that appends, and fails with the same words. */
const appended: Story = async (world, wait) => {
  world.target({ heimdallJobId: "a0" });
  world.log.append(out, stepLine(1));
  await wait(450);
  world.log.append(out, stepLine(2) + eccLine);
  world.target({ heimdallJobId: "a0", ended: true });
  await wait(2_700);
  begin(world, "a1");
  await wait(225);
  world.log.append(out, stepLine(3));
  await wait(450);
  world.log.append(out, stepLine(4) + eccLine);
  world.target({ heimdallJobId: "a1", ended: true });
  await wait(5_400);
};

function begin(world: World, heimdallJobId: string): void {
  world.now += 2_000;
  const startTime = Math.floor(world.now / 1000) * 1000;
  world.target({ heimdallJobId, attemptIndex: 1, slurm: { stdout: out, workDir: "/work", startTime } });
}

/** Of steps only the last counts: how often they are told is the watcher's own affair. */
function told(world: World) {
  const events = ["a0", "a1"].flatMap((id) => [
    ...world.of(id, "crash", "resumed", "checkpoint-saved", "finished"),
    ...world.of(id, "progress").slice(-1),
  ]);
  return {
    events: events.map(({ heimdallJobId, kind, step, cause, rank, nodes, evidence: { line, offset } }) => ({
      at: [line, offset],
      says: [heimdallJobId, kind, step, cause, rank, nodes],
    })),
    read: ["a0", "a1"].map((id) => {
      const { offset, start, ended } = world.position(id) ?? {};
      return { offset, start, ended };
    }),
    released: [...new Set(world.released)],
  };
}

test.each([
  ["a log that a restart empties", emptied],
  ["a log that a restart appends to", appended],
])(
  "%s: a crash before or after any call loses nothing and tells nothing twice",
  { timeout: 60_000 },
  async (_, story) => {
    const unharmed = new World();
    await story(unharmed, (ms) => unharmed.run(ms));
    const expected = told(unharmed);
    expect(expected.read.map(({ ended }) => ended)).toEqual([true, true]);
    for (let n = 1; ; n++) {
      const fuse = new Fuse(n);
      const world = new World(fuse.guard);
      await story(world, (ms) => run(world, fuse, ms));
      expect(told(world), `crash at boundary ${n}`).toEqual(expected);
      if (fuse.blown) continue;
      expect(n).toBeGreaterThan(100);
      return;
    }
  },
);
