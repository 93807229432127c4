/** node-log: what a node's kernel writes, in the form of its syslog, and where. */
import type { Instant } from "@reprise/core/nouns.ts";

export const nodeLogOf = (node: string): string => `/nodes/${node}/messages`;

/** As a site would configure its watchers. */
export const nodeLogSite = { patterns: [nodeLogOf("%N")], zone: "UTC" };

/** RFC 3164: no year, no zone, whole seconds. */
export function kernelLine(node: string, at: Instant, text: string): string {
  const time = new Date(at).toUTCString(); // Thu, 01 Jan 2026 00:00:00 GMT
  const [, day = "", month = "", , clock = ""] = time.split(" ");
  return `${month} ${String(Number(day)).padStart(2)} ${clock} ${node} kernel: ${text}`;
}
