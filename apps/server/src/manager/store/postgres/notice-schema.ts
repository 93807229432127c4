/** notice-schema: the tables of the outbox of notices. Part of `schema.ts`. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Notice } from "../../notice/notice.ts";
import type { Json } from "./schema.ts";

export interface NoticeTable {
  key: string;
  kind: string;
  recorded_at: Instant;
  says: Json<Notice>;
}

export interface NoticeSendingTable {
  receiver: string;
  key: string;
  due_at: Instant;
  tries: number;
  /** `taken` or `given-up`. Null: still owed. */
  settled: string | null;
  /** Of the last sending that failed. */
  why: string | null;
}

export interface NoticeConditionTable {
  cluster: string;
  name: string;
  since: Instant;
}
