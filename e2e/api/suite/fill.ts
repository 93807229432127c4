/**
 * fill: puts known values and generated text into the `{{…}}` of an exchange.
 *
 * Takes   `{{run}}` and captured names; `{{repeat x 257}}`; `{{names 3}}` → `"n0","n1","n2"`; `{{empties 2}}` → `{},{}`;
 *         `{{nested 3}}` → `{"a":{"a":{"a":1}}}`.
 * Gives   the text with these replaced. What is left between braces is a pattern for the answer (expected.ts).
 */
export type Known = ReadonlyMap<string, string>;

export function fill(text: string, known: Known): string {
  return text.replaceAll(
    /\{\{([^{}]*)\}\}/g,
    (whole, inside: string) => known.get(inside) ?? generated(inside) ?? whole,
  );
}

function generated(inside: string): string | undefined {
  const [word, ...rest] = inside.split(" ");
  const count = Number(rest.at(-1));
  switch (word) {
    case "repeat":
      return rest.slice(0, -1).join(" ").repeat(count);
    case "names":
      return Array.from({ length: count }, (_, i) => `"n${i}"`).join(",");
    case "empties":
      return Array.from({ length: count }, () => "{}").join(",");
    case "nested":
      return `${'{"a":'.repeat(count)}1${"}".repeat(count)}`;
    default:
      return undefined;
  }
}
