/**
 * nearest-name: the name that somebody probably meant.
 *
 * Gives        the known name that needs the fewest single-letter edits, upper and lower case being one; undefined when even
 *              that is more than a third of its letters.
 * Pure, total
 */
export function nearestName(written: string, known: readonly string[]): string | undefined {
  const withDistance = known.map((name) => ({
    name,
    distance: editDistance(written.toLowerCase(), name.toLowerCase()),
  }));
  const near = withDistance.filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)));
  return near.sort((a, b) => a.distance - b.distance)[0]?.name;
}

/** Levenshtein's, row by row. A key is short: Slurm's comment ends at 1024 bytes. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
