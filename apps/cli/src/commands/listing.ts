/** listing: what the commands that list have in common: the flag for how many, and which ones those are. */
import { InvalidArgumentError, Option } from "commander";

export function limitFlag(): Option {
  return new Option("--limit <n>", "how many, the newest").default(50).argParser((given: string) => {
    if (!/^[1-9]\d{0,5}$/.test(given)) throw new InvalidArgumentError("expected a whole number from 1 to 999999");
    return Number(given);
  });
}

/** The last `limit` of what the server lists oldest first. */
export function newest<T>(all: readonly T[], limit: number): { readonly rows: readonly T[]; readonly leftOut: number } {
  const leftOut = Math.max(0, all.length - limit);
  return { rows: all.slice(leftOut), leftOut };
}
