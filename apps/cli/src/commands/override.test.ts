/**
 * Goal    an order says why, goes to the call that it means, and what follows is shown; what changed meanwhile is not taken back unseen.
 * Method  a small HTTP server that keeps what it was asked; the commands as the command line has them.
 */
import { expect, test } from "vitest";
import { serverWorld } from "../testing/server-world.ts";
import { define as defineAdvice } from "./advice.ts";
import { define as defineJobs } from "./jobs.ts";

const uuid = "0d1c2b3a-0000-5000-8000-000000000000";
const ordered = { override: { action: "never", by: "ada", reason: "the data is wrong" }, effect: "It stays down." };

test("an order is sent with its reason, and what follows is shown", async () => {
  const { asked, call } = await serverWorld({ "/reprise/v1/jobs/95_1/override": ordered });
  const shown = await call(defineJobs, "override", "95_1", "never", "--reason", " the data is wrong ");
  expect(asked).toEqual([["POST /reprise/v1/jobs/95_1/override", { action: "never", reason: "the data is wrong" }]]);
  expect(shown).toContain("never by ada: the data is wrong");
  expect(shown).toContain("It stays down.");
  const json = await call(defineJobs, "override", "95_1", "never", "--reason", "x", "--cluster", "b", "--json");
  expect(JSON.parse(json)).toEqual(ordered);
  expect(asked[1]?.[1]).toEqual({ action: "never", reason: "x", cluster: "b" });
});

test.each([
  ["without a reason", ["override", "1", "never"]],
  ["with an empty one", ["override", "1", "never", "--reason", " "]],
  ["that is none", ["override", "1", "perhaps", "--reason", "x"]],
])("an order %s is asked wrongly, and nothing is sent", async (_what, args) => {
  const { asked, call } = await serverWorld({});
  await expect(call(defineJobs, ...args)).rejects.toMatchObject({ name: "CommanderError" });
  expect(asked).toEqual([]);
});

test("the open advice of a job is taken back by its attempt and the generation that was seen", async () => {
  const advice = (generation: string, active: boolean) => ({ heimdallJobId: uuid, generation, active });
  const attempts = [{ advice: [advice("1", false), advice("2", true)] }, { advice: [] }];
  const { asked, call } = await serverWorld({
    "/reprise/v1/jobs/7/explain": { attempts },
    [`/reprise/v1/advice/${uuid}:withdraw`]: ordered,
  });
  await call(defineAdvice, "withdraw", "7", "--reason", "wait", "--attempt", "0");
  expect(asked).toEqual([
    ["GET /reprise/v1/jobs/7/explain?attemptIndex=0", undefined],
    [`POST /reprise/v1/advice/${uuid}:withdraw`, { reason: "wait", generation: "2" }],
  ]);
});

test("where no advice is open nothing is taken back, and what may be meant is said", async () => {
  const { asked, call } = await serverWorld({ "/reprise/v1/jobs/7/explain": { attempts: [{}] } });
  await expect(call(defineAdvice, "withdraw", "7", "--reason", "wait")).rejects.toMatchObject({
    message: "there is no open advice about job 7",
    hints: [expect.stringContaining("override 7 never")],
  });
  expect(asked).toHaveLength(1);
});
