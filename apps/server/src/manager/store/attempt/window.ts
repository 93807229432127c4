/**
 * window: a page of a listing in the order of creation: the rows whose places are in it. A place whose row has gone stays empty, so
 * that a page may be short, and even empty.
 *
 * Pure, total
 * Source  docs/decisions/0018, 0027.
 */
import type { Page, Slice } from "../../store.ts";

/** @param found Rows behind `offset` in the order of their places: as many as there are, or at least one more than `limit`. */
export function windowOf<Row, T>(
  found: readonly Row[],
  { offset, limit }: Slice,
  placeOf: (row: Row) => number,
  read: (row: Row) => T,
): Page<T> {
  const end = offset + limit;
  const rows = found.filter((row) => placeOf(row) <= end).map(read);
  const next = found.find((row) => placeOf(row) > end);
  if (next === undefined) return { rows, hasMore: false };
  const nextOffset = placeOf(next) - 1; // Of the places between nobody is left.
  return nextOffset === end ? { rows, hasMore: true } : { rows, hasMore: true, nextOffset };
}
