/**
 * numeric-types: bigint columns arrive as numbers. Set on each client, never on the driver as a whole.
 *
 * Keeps   every bigint of ours (times, steps, counters, byte offsets) is below 2^53; a larger one is an error, not a wrong number.
 */
import pg from "pg";

const bigintOid = 20;

export const numericTypes: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === bigintOid && format !== "binary") return readBigint;
    return pg.types.getTypeParser(oid, format) as (text: string) => unknown;
  },
};

function readBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text}: expected at most ${Number.MAX_SAFE_INTEGER}`);
  return value;
}
