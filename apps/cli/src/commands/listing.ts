/** listing: what several commands have in common: flags and their values, the newest of a listing, the story of a job. */
import { InvalidArgumentError, Option } from "commander";
import { limits } from "@reprise/core/limits.ts";
import type { Client } from "../client.ts";
import type { WireExplain } from "../wire.ts";

export function limitFlag(says = "how many, the newest"): Option {
  return new Option("--limit <n>", says).default(50).argParser((given: string) => {
    if (!/^[1-9]\d{0,5}$/.test(given)) throw new InvalidArgumentError("expected a whole number from 1 to 999999");
    return Number(given);
  });
}

/** The last `limit` of what the server lists oldest first. */
export function newest<T>(all: readonly T[], limit: number): { readonly rows: readonly T[]; readonly leftOut: number } {
  const leftOut = Math.max(0, all.length - limit);
  return { rows: all.slice(leftOut), leftOut };
}

export function attemptFlag(says: string): Option {
  return new Option("--attempt <k>", says).argParser((given: string) => {
    if (!/^\d{1,10}$/.test(given) || Number(given) > limits.attemptIndexMax)
      throw new InvalidArgumentError(`expected a whole number from 0 to ${limits.attemptIndexMax}`);
    return Number(given);
  });
}

export const clusterFlag = (): Option => new Option("--cluster <name>", "where several clusters share the server");

/** Nobody orders anything without saying why. */
export const reasonFlag = (): Option =>
  new Option("--reason <words>", "why, for whoever asks later").makeOptionMandatory().argParser((given: string) => {
    const chars = [...given.trim()].length;
    if (chars === 0 || chars > limits.overrideReasonCharsMax)
      throw new InvalidArgumentError(`expected 1 to ${limits.overrideReasonCharsMax} characters`);
    return given.trim();
  });

/** @returns Milliseconds. */
export function readSpan(given: string): number {
  const [, number, unit] = /^([1-9]\d{0,4})([hd])$/.exec(given) ?? [];
  if (number === undefined) throw new InvalidArgumentError("expected a time such as 12h or 90d");
  return Number(number) * (unit === "h" ? 3_600_000 : 24 * 3_600_000);
}

export const numberTo = (max: number) => (given: string) => {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(given) || Number(given) > max)
    throw new InvalidArgumentError(`expected a number from 0 to ${max}`);
  return Number(given);
};

/** As `attemptFlag` and `clusterFlag` give them. */
export interface StoryOptions {
  readonly attempt?: number;
  readonly cluster?: string | undefined;
}

/** For people. */
export const whichJob = (jobId: string, { attempt }: StoryOptions): string =>
  attempt === undefined ? `job ${jobId}` : `job ${jobId}, attempt ${attempt}`;

export function storyOf(client: Client, jobId: string, options: StoryOptions): Promise<WireExplain> {
  const path = `/reprise/v1/jobs/${encodeURIComponent(jobId)}/explain`;
  const query = { attemptIndex: options.attempt, cluster: options.cluster };
  return client.get<WireExplain>(path, query, whichJob(jobId, options));
}
