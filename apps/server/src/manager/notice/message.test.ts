/**
 * Goal    a receiver can rely on the body and check its signature; nothing that a log says mentions anybody in Slack.
 */
import { expect, test } from "vitest";
import { jsonBody, signatureOf, slackBody } from "./message.ts";
import { isQuiet, type Notice } from "./notice.ts";

const at = Date.UTC(2026, 10, 29, 12);
const notice: Notice = {
  key: "recovery-stopped/6f1c",
  kind: "recovery-stopped",
  cluster: "gpu",
  at,
  says: "Job 7 is down: <!channel> & co.",
  whatToDo: "`reprise explain 7`",
  jobId: "7",
  attemptIndex: 2,
  heimdallJobId: "6f1c",
};

test("the body has each notice with its id and its time", () => {
  const { key: id, ...rest } = notice;
  expect(JSON.parse(jsonBody([notice], at + 1_500))).toEqual({
    version: 1,
    sentAt: "2026-11-29T12:00:01.500Z",
    notices: [{ ...rest, id, at: "2026-11-29T12:00:00.000Z" }],
  });
});

test("the signature is the HMAC of seconds, full stop and body", () => {
  // printf '1795953600.{}' | openssl dgst -sha256 -hmac key
  const seconds = at / 1000;
  expect(seconds).toBe(1_795_953_600);
  expect(signatureOf("{}", "key", at + 999)).toBe(
    "t=1795953600,v1=024707fa09e1ac7aeffecf13b1dbef5172b0e7e012331e5b53a7374ce8fbf8a6",
  );
});

test("in Slack's form nobody is mentioned, and a long list is cut", () => {
  expect(JSON.parse(slackBody([notice]))).toEqual({
    text: "[recovery-stopped] gpu: Job 7 is down: &lt;!channel&gt; &amp; co.\n    `reprise explain 7`",
  });
  const many = Array.from({ length: 500 }, () => notice);
  expect((JSON.parse(slackBody(many)) as { text: string }).text).toMatch(/…\n\(500 notices\)$/);
});

test("quiet hours cross midnight and are those of their zone", () => {
  const quiet = { from: 22 * 60, to: 7 * 60, zone: "Europe/Berlin" };
  const hourOf = (utc: number) => isQuiet({ quiet }, Date.UTC(2026, 10, 29, utc));
  expect([20, 21, 23, 5, 6].map(hourOf)).toEqual([false, true, true, true, false]);
  expect(isQuiet({}, at)).toBe(false);
  expect(isQuiet({ quiet: { from: 720, to: 780, zone: "UTC" } }, at)).toBe(true);
});
