/** positions-before: where an earlier attempt stopped, as the reader of a later one may take it. Pure, total. */
import type { LogPosition } from "../../store.ts";

/** @param isNext Nobody ran between the two: only then what follows the end of the one is the other's. */
export function positionsBefore(positions: readonly LogPosition[], isNext: boolean): readonly LogPosition[] {
  return isNext ? positions : positions.map((position) => ({ ...position, ended: false }));
}
