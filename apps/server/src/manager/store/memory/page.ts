import type { Page, Slice } from "../../store.ts";

/** The rows that were asked for, and whether there are more. */
export function page<T>(rows: readonly T[], { offset, limit }: Slice): Page<T> {
  return { rows: rows.slice(offset, offset + limit), hasMore: rows.length > offset + limit };
}
