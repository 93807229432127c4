/**
 * slurm-release: which releases of Slurm recovery was tried on; on any other it only observes until an operator allows that release by name.
 *
 * Takes    a version as `scontrol show config` prints slurmctld's: `25.11.7`, `26.11.0-0rc1`. A release is its first two numbers.
 * Pure, total
 * Source   slurm.md, slurm-new.md: 22.05.8 with everything, 25.11.7 and 26.05.3 by hand; docs/decisions/0039.
 */

/** Every release from the first to the last of these. */
export const triedReleases = { from: "22.05", to: "26.05" } as const;

/** `allowed`: not tried, and the operator has named it. `unknown`: slurmctld's version could not be read. */
export type ReleaseStanding = "tried" | "allowed" | "untried" | "unknown";

/** `25.11.7` → `25.11`; undefined for what is no version. */
export function releaseOf(version: string): string | undefined {
  return /^(\d\d\.\d\d)(?:[.-]|$)/.exec(version)?.[1];
}

export function releaseStanding(version: string | undefined, allowed: readonly string[]): ReleaseStanding {
  const release = version === undefined ? undefined : releaseOf(version);
  if (release === undefined) return "unknown";
  // Two digits, a dot and two digits: the order of the texts is that of the releases.
  if (triedReleases.from <= release && release <= triedReleases.to) return "tried";
  return allowed.includes(release) ? "allowed" : "untried";
}

/** Why nothing is begun on it, as a sentence; undefined where recovery may act. */
export function releaseRefusal(version: string | undefined, allowed: readonly string[]): string | undefined {
  const standing = releaseStanding(version, allowed);
  if (standing === "tried" || standing === "allowed") return undefined;
  const { from, to } = triedReleases;
  if (standing === "unknown") return "the release of slurmctld is not known";
  return `recovery was not tried on Slurm ${version} (but on ${from} to ${to}): \`slurm_releases\` does not name ${releaseOf(version ?? "")}`;
}
