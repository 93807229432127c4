/** Goal: `jobs show` says what of a job's logs could not be read, where the server knows it. Method: servers with fixed answers. */
import { expect, test } from "vitest";
import { serverWorld } from "../testing/server-world.ts";
import { define } from "./jobs.ts";

const job = {
  heimdallJobId: "u-1",
  jobId: "1",
  attemptIndex: 0,
  state: "JOB_STATUS_RUNNING",
  schedulerMetadata: { slurm: { cluster: "c1" } },
};
const jobs = { "/v1/jobs/by-scheduler-id/1": { jobs: [job] } };

test("a log that is sampled stands with its job", async () => {
  const unreadLogs = [{ path: "/l", why: "sampled: 92 MiB were left out" }];
  const { asked, call } = await serverWorld({
    ...jobs,
    "/reprise/v1/jobs/1/explain": { attempts: [{ job, unreadLogs }] },
  });
  expect(await call(define, "show", "1")).toContain("log unread      /l: sampled: 92 MiB were left out");
  expect(asked.map(([ask]) => ask).at(-1)).toBe("GET /reprise/v1/jobs/1/explain?cluster=c1");
});

test("a job of a server that tells no stories is shown all the same", async () => {
  const { call } = await serverWorld(jobs);
  const shown = await call(define, "show", "1");
  expect(shown).toContain("Job 1, attempt 0");
  expect(shown).not.toContain("unread");
});
