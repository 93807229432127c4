/**
 * parts: `docs/benchmarks.md` is written by several benchmarks, each its own parts.
 *
 * Pure, total
 */

/**
 * @param text One part or more, each under a heading of its own (`## …`). What the page has under these headings is replaced, or they
 *             come last; what others have written stays.
 */
export function withPart(page: string, text: string): string {
  const [first = "", ...parts] = partsOf(page);
  for (const part of partsOf(`\n${text}`).slice(1)) {
    const at = parts.findIndex((one) => headingOf(one) === headingOf(part));
    if (at < 0) parts.push(part);
    else parts[at] = part;
  }
  return `${[first, ...parts].join("\n\n")}\n`;
}

/** What stands before the first heading; then each part. */
const partsOf = (page: string) =>
  page
    .trimEnd()
    .split(/\n(?=## )/)
    .map((one) => one.trim());
const headingOf = (part: string) => part.split("\n", 1)[0];
