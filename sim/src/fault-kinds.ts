/**
 * fault-kinds: every kind of trouble that a world may meet, and whatever else it is drawn to have that recovery must live with: what the
 * coverage table counts.
 *
 * Keeps   a kind that is not here does not compile; one that no world of a soak met stands in its table with 0.
 */
import { failureKinds } from "./failures.ts";
import { drawnReleases, peopleActs } from "./spec.ts";

const roles = ["server", "sac", "watchdog", "watcher"] as const;

export const faultKinds = [
  "clock stepped",
  "cluster lost",
  "command answer lost",
  "database breaks",
  "database fails after commit",
  "database refuses",
  "database slow",
  "disk full",
  "hint lost",
  "host crash",
  "listing cut",
  "listing garbled",
  "log in halves",
  "log late",
  "log truncated",
  "message answer lost",
  "message delayed",
  "message dropped",
  "message repeated",
  "network cut",
  "prolog fails",
  "slurmctld crash",
  "slurmctld down",
  "slurmctld paused",
  "slurmctld slow",
  "wake lost",
  "webhook answer lost",
  "webhook away",
  "submitted: dependency",
  "submitted: gates",
  "submitted: heterogeneous",
  "submitted: singleton",
  ...drawnReleases.map((release) => `release: ${release}` as const),
  ...roles.flatMap((role) => [`${role} died`, `${role} killed`, `${role} paused`] as const),
  ...failureKinds.map((kind) => `job: ${kind}` as const),
  ...peopleActs.map((what) => `people: ${what}` as const),
] as const;

export type FaultKind = (typeof faultKinds)[number];
