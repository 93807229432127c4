/**
 * Goal    who follows a job reads what is new, once, and nothing else; a server that is away for a while is no end.
 * Method  stories one after the other; the waits do not last.
 */
import { expect, test } from "vitest";
import { fakeConsole } from "../testing/fake-console.ts";
import type { WireExplain } from "../wire.ts";
import { followStory } from "./follow-story.ts";

const job = { jobId: "7", attemptIndex: 0, state: "JOB_STATUS_RUNNING" };
const story = (change: object): WireExplain => ({ jobId: "7", attempts: [{ job, covered: true, ...change }] });
const trained = (lastStep: string) => ({ progress: { firstStep: "1", lastStep } });
const stop = { stoppedBy: "max_requeue_times", whatToDo: "Ask." };

async function follow(looks: readonly (WireExplain | Error)[], json = false) {
  const console = fakeConsole();
  const ended = new AbortController();
  const texts: string[] = [];
  let n = 0;
  const again = () => {
    const look = looks[n++];
    return look instanceof Error || look === undefined
      ? Promise.reject(look ?? new Error("over"))
      : Promise.resolve(look);
  };
  const sleep = () => {
    const before = texts.join("");
    texts.push(console.outText().slice(before.length));
    if (n >= looks.length) ended.abort();
    return Promise.resolve();
  };
  await followStory(again, { json }, console, { sleep }, ended.signal);
  return { texts, err: console.errText() };
}

test("after the whole story only new lines are told, and a step more is no news by itself", async () => {
  const looks = [trained("5"), trained("6"), { ...trained("7"), ...stop }, { ...trained("7"), ...stop }];
  const { texts } = await follow(looks.map(story));
  expect(texts[0]).toMatch(/^Job 7[^]*steps 1 to 5/);
  expect(texts[1]).toBe("");
  expect(texts[2]).toMatch(/^ {2}training +steps 1 to 7\n {2}stopped by +max_requeue_times\n {2}what to do +Ask\.\n$/);
  expect(texts[3]).toBe("");
});

test("a server that is away is said once, and asked again", async () => {
  const away = new Error("nothing listens there");
  const { texts, err } = await follow([story({}), away, away, story(stop)]);
  expect(err).toBe("reprise: nothing listens there; it is asked again\n");
  expect(texts.at(-1)).toContain("max_requeue_times");
  await expect(follow([away])).rejects.toThrow("nothing listens there");
});

test("as JSON each change is one line", async () => {
  const { texts } = await follow([story({}), story({}), story(stop)], true);
  expect(texts.map((text) => text.split("\n").length - 1)).toEqual([1, 0, 1]);
  expect(JSON.parse(texts[2] ?? "")).toEqual(story(stop));
});
