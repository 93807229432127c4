/**
 * send-notices: notices → one call of one receiver: its form, its signature.
 *
 * Gives   undefined when it was taken; else why not.
 * Fails   never throws: a file that cannot be read is a reason, too. Files are read each time, so that a new secret needs no new start.
 */
import { readFile } from "node:fs/promises";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Reach } from "./allowed-address.ts";
import { jsonBody, signatureOf, slackBody } from "./message.ts";
import type { Notice, Receiver } from "./notice.ts";
import { post } from "./post.ts";

/** A webhook that takes longer is asked again; it should take what it gets and think afterwards. */
const limitMs = 10_000;

export type SendNotices = (receiver: Receiver, notices: readonly Notice[], now: Instant) => Promise<string | undefined>;

export function createSender(reach: Reach): SendNotices {
  return async (receiver, notices, now) => {
    try {
      const { url, form, secretFile } = receiver;
      const address = "text" in url ? url.text : (await readFile(url.file, "utf8")).trim();
      const body = form === "slack" ? slackBody(notices) : jsonBody(notices, now);
      const secret = secretFile === undefined ? undefined : (await readFile(secretFile, "utf8")).trim();
      if (secret === "") return `${secretFile} is empty: expected the key of the signature`;
      if (!URL.canParse(address)) return "its URL is none: expected https://…";
      const headers = {
        "content-type": "application/json",
        "user-agent": "reprise",
        ...(secret === undefined ? {} : { "reprise-signature": signatureOf(body, secret, now) }),
      };
      return await post({ url: new URL(address), headers, body, limitMs }, reach);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
}
