/**
 * message: notices as the body of one webhook call, and its signature. docs/notifications.md tells it to whoever receives one.
 *
 * Pure, total
 * Keeps   what stands in a notice may come from a log or from Slurm: in a message to Slack it mentions nobody and is no link.
 * Source  Slack: text with `&`, `<`, `>` escaped means itself. HMAC: RFC 2104, with SHA-256.
 */
import { createHmac } from "node:crypto";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Notice } from "./notice.ts";

/** Slack cuts a text at 40,000; a person reads less. */
const slackCharsMax = 8_000;

export function jsonBody(notices: readonly Notice[], now: Instant): string {
  const sent = notices.map(({ key: id, at, ...rest }) => ({ id, at: new Date(at).toISOString(), ...rest }));
  return JSON.stringify({ version: 1, sentAt: new Date(now).toISOString(), notices: sent });
}

export function slackBody(notices: readonly Notice[]): string {
  const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const lines = notices.map(({ kind, cluster, says, whatToDo }) =>
    escaped(`[${kind}] ${cluster}: ${says}\n    ${whatToDo}`),
  );
  const text = lines.join("\n");
  return JSON.stringify({
    text: text.length <= slackCharsMax ? text : `${text.slice(0, slackCharsMax)}…\n(${notices.length} notices)`,
  });
}

/** `t=<seconds>,v1=<hex>`: of the seconds, a full stop and the body. The time is in it, so that an old call cannot be sent again. */
export function signatureOf(body: string, secret: string, now: Instant): string {
  const seconds = Math.floor(now / 1000);
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
}
