/**
 * Goal    beside a real Slurm, in observe mode, what would have been right and what would have been wrong is told apart.
 * Method  two jobs whose restart is advised and only observed: one fails and stays so; one prints a fatal line, is silent, and completes.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { httpGet } from "@reprise/cli/http-get.ts";
import type { WireShadow } from "@reprise/cli/wire-shadow.ts";
import { readToken } from "@reprise/runtime/token-file.ts";
import { eccLine, reason, startWorld, stateOf, type World } from "./world/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld({ flags: [] });
});
afterAll(async () => await world?.stop());

async function shadow(): Promise<WireShadow> {
  const { http, tokenFile } = world.reprise().ready;
  const bearer = { authorization: `Bearer ${readToken(tokenFile)}` };
  return JSON.parse((await httpGet(new URL("/reprise/v1/shadow", http), bearer, 10_000)).text) as WireShadow;
}

const observed = (id: string) =>
  world.until(`observed Advice about job ${id}`, async () => reason(await world.advice(id)) === "OBSERVE_MODE");

test("a job that stayed failed would have recovered; one that completed by itself would have been restarted wrongly", async () => {
  const fails = await world.submit("exit 7");
  const goesOn = await world.submit(`echo '${eccLine}' >&2; sleep 20; echo done`);
  await observed(fails);
  await observed(goesOn);
  await world.until("the second one to complete", async () =>
    (await world.jobs(goesOn)).some((job) => stateOf(job) === "COMPLETED"),
  );
  const { stories = [], counts } = await shadow();
  expect(new Set(stories.map(({ jobId, desired, verdict, fate }) => `${jobId} ${desired} ${verdict} ${fate}`))).toEqual(
    new Set([
      `${fails} RESTARTED would-have-recovered stayed-failed`,
      `${goesOn} RESTARTED would-have-been-wrong completed-by-itself`,
    ]),
  );
  expect(counts).toHaveLength(2);
});
