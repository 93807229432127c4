/**
 * attempt-uuid: the name of one execution attempt that every publisher computes alike, without asking anybody.
 *
 * Takes        cluster, job ID, attempt index; for a reissued job ID also its submit time.
 * Gives        a UUIDv5 in lower case: the default `heimdallJobId`.
 * Keeps        one Job record per attempt (invariant 1): the same attempt has the same UUID for everybody, and two attempts
 *              never share one.
 * Fails        `Refusal` invalid: what cannot be told apart from another attempt's name is not named.
 * Source       RFC 9562 §5.5; docs/api.md, "identity".
 */
import { limits } from "../limits.ts";
import type { Instant } from "../nouns.ts";
import { Refusal } from "../refusal.ts";
import { sha1 } from "./sha1.ts";

/** The namespace of all attempt UUIDs. Part of the API: never changes. */
export const attemptNamespace = "8699c65b-5883-563d-acbb-ae1a4a5cf52b";

/** The cluster whose name is not part of the UUID, and which a report without a cluster means. */
export const defaultCluster = "default";

export interface AttemptName {
  /** Absent, empty or `default`: the name has no cluster in it. */
  readonly cluster?: string;
  /** `123`, or `95_1` for a task of an array. */
  readonly jobId: string;
  /** Slurm's restart count. */
  readonly attemptIndex: number;
  /** Submit time of the attempt 0 of a *later* incarnation of this job ID. Absent for the first incarnation. */
  readonly incarnationSubmitAt?: Instant;
}

export const attemptUuid = (name: AttemptName): string => uuidV5(attemptNamespace, nameOf(name));

/** `123-0`; `gpu/123-0` on another cluster; `123-0@1795956923` (seconds) in a later incarnation. */
function nameOf({ cluster = "", jobId, attemptIndex, incarnationSubmitAt }: AttemptName): string {
  requireName("cluster", cluster);
  requireName("jobId", jobId);
  if (jobId === "") throw new Refusal("invalid", 'jobId "": expected a job ID');
  if (!Number.isInteger(attemptIndex) || attemptIndex < 0 || attemptIndex > limits.attemptIndexMax) {
    throw new Refusal(
      "invalid",
      `attemptIndex ${attemptIndex}: expected an integer from 0 to ${limits.attemptIndexMax}`,
    );
  }
  const where = cluster === "" || cluster === defaultCluster ? "" : `${cluster}/`;
  const since = incarnationSubmitAt === undefined ? "" : `@${Math.floor(incarnationSubmitAt / 1000)}`;
  return `${where}${jobId}-${attemptIndex}${since}`;
}

/** With a slash of its own, job `a/1` would be job `1` of the cluster `a`. */
function requireName(field: string, value: string): void {
  if (value.includes("/")) throw new Refusal("invalid", `${field} ${JSON.stringify(value)}: expected no "/"`);
}

/** Any version, upper or lower case: what the wire accepts as a `heimdallJobId`. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** By namespace and name: an attempt is named at every report about it, and its recovery at every decision. */
const uuids = new Map<string, string>();
const uuidsMax = 20_000;

/** RFC 9562 §5.5: SHA-1 of the namespace's bytes and the name. @param namespace A UUID. */
export function uuidV5(namespace: string, name: string): string {
  const key = `${namespace} ${name}`;
  const known = uuids.get(key);
  if (known !== undefined) return known;
  const uuid = hashed(namespace, name);
  if (uuids.size >= uuidsMax) uuids.clear();
  uuids.set(key, uuid);
  return uuid;
}

function hashed(namespace: string, name: string): string {
  const space = namespace.replaceAll("-", "").match(/../g) ?? [];
  const bytes = sha1(new Uint8Array([...space.map((hex) => parseInt(hex, 16)), ...new TextEncoder().encode(name)]));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50; // version 5
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80; // the RFC's variant
  const hex = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
