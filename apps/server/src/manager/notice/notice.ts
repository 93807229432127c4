/**
 * notice: what a person is told by webhook: the four kinds, and what each says. Its rows are kept by `notice-store.ts`.
 *
 * Keeps   a notice has a key that the records give: whoever derives it again, after a crash or on another replica, finds it told.
 */
import type { Instant } from "@reprise/core/nouns.ts";

export const noticeKinds = ["recovery-stopped", "hold-released", "node-repeats", "blind"] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export interface Notice {
  /** Unique for ever: `recovery-stopped/<UUID of the attempt>`, `blind/<cluster>/<what>/<since>`. */
  readonly key: string;
  readonly kind: NoticeKind;
  readonly cluster: string;
  /** When it became so. */
  readonly at: Instant;
  /** One sentence. */
  readonly says: string;
  readonly whatToDo: string;
  /** Absent: it is about no job. */
  readonly jobId?: string;
  readonly attemptIndex?: number;
  readonly heimdallJobId?: string;
  /** Absent: it is about no node. */
  readonly node?: string;
}

/** Where notices go. */
export interface Receiver {
  /** Names its rows: under another name it is another receiver. */
  readonly name: string;
  /** One of the two: a URL of a webhook is often a secret, and may stand in a file of its own. */
  readonly url: { readonly text: string } | { readonly file: string };
  readonly form: "json" | "slack";
  /** File with the key of the signature. Absent: messages are not signed. */
  readonly secretFile?: string;
  readonly kinds: readonly NoticeKind[];
  /** How long a first notice waits for others, so that they are one message. */
  readonly groupForMs: number;
  /** Minutes of the day in `zone`; from the first one to before the second one only `always` is sent, and the rest afterwards. */
  readonly quiet?: { readonly from: number; readonly to: number; readonly zone: string };
  readonly always: readonly NoticeKind[];
}

export interface NoticeConfig {
  readonly receivers: readonly Receiver[];
  /** Networks such as `10.0.0.0/8` that may be called although they are not public. */
  readonly allow: readonly string[];
}

/** Whether it is quiet there now. The hours may cross midnight. */
export function isQuiet({ quiet }: Pick<Receiver, "quiet">, now: Instant): boolean {
  if (quiet === undefined) return false;
  const { from, to, zone: timeZone } = quiet;
  const parts = new Intl.DateTimeFormat("en", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const of = (type: string) => Number(parts.formatToParts(now).find((part) => part.type === type)?.value ?? 0);
  const minute = of("hour") * 60 + of("minute");
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}
