/**
 * mounts: which file system a path is on, without touching it.
 *
 * Takes   the text of `/proc/self/mountinfo` (man proc): the fifth field of a line is the mount point, spaces as `\040`.
 * Gives   the longest mount point that the path begins with; `/` where nothing else is known. A link may lead elsewhere.
 * Pure
 */
export function mountsIn(mountinfo: string): readonly string[] {
  const points = mountinfo.split("\n").flatMap((line) => line.split(" ")[4] ?? []);
  const named = points.map((p) =>
    p.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
  return named.toSorted((a, b) => b.length - a.length);
}

/** @param mounts As `mountsIn` gives them: the longest first. */
export function mountOf(path: string, mounts: readonly string[]): string {
  return mounts.find((point) => point === "/" || path === point || path.startsWith(`${point}/`)) ?? "/";
}
