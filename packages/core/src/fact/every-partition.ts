/**
 * everyPartition: all that Slurm ever showed of one attempt, in the order in which it showed them.
 *
 * Pure, total
 * Takes    two lists, divided by commas: what is known, and what is shown now.
 * Source   slurm.md: of a job that asks for several partitions Slurm shows only one once it has started; its successor may go to any of them.
 */
export function everyPartition(known: string, shown: string): string {
  if (known === shown && !shown.includes(",")) return shown;
  return [...new Set([...known.split(","), ...shown.split(",")])].join(",");
}
