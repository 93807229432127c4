/**
 * case-lines: the lines of one attempt of a case, in the order of their seconds.
 *
 * Takes   plain entries, and *repeat* entries: `repeat` lines every `every` seconds from `from` on, whose text may hold
 *         `{expression}` or `{expression:format}` over `n` and `noise`.
 * Gives   lines sorted by second; equal seconds keep the order of the file.
 * Pure    `noise` comes from a fixed generator that starts anew in every entry: the same case has the same lines.
 * Fails   throws an Error that names what of a template cannot be read.
 * Source  the format's own description: testdata/cases/README.md
 */
export interface TimedLine {
  /** Since the attempt started. */
  readonly second: number;
  readonly text: string;
}

export interface Repeat {
  readonly repeat: number;
  readonly every: number;
  readonly from: number;
  readonly seed: number;
  readonly line: string;
}

export function linesOf(entries: readonly (TimedLine | Repeat)[]): readonly TimedLine[] {
  const lines = entries.flatMap((entry) => ("text" in entry ? [entry] : repeated(entry)));
  return lines.toSorted((a, b) => a.second - b.second); // Stable: equal seconds keep their order.
}

function repeated({ repeat, every, from, seed, line }: Repeat): readonly TimedLine[] {
  const noise = noiseFrom(seed);
  return Array.from({ length: repeat }, (_, n) => ({
    second: Math.round((from + n * every) * 1000) / 1000,
    text: fill(line, n, noise),
  }));
}

/** A linear congruential generator, one value in [-1, 1) a call. */
function noiseFrom(seed: number): () => number {
  let x = seed >>> 0;
  return () => {
    x = (1664525 * x + 1013904223) % 2 ** 32; // Below 2^53: exact.
    return x / 2 ** 31 - 1;
  };
}

function fill(template: string, n: number, noise: () => number): string {
  let out = "";
  for (let at = 0; at < template.length; ) {
    const char = template[at]!;
    if ((char === "{" || char === "}") && template[at + 1] === char) {
      out += char;
      at += 2;
    } else if (char === "{") {
      const end = template.indexOf("}", at);
      if (end === -1) throw new Error(`a { without its } in ${JSON.stringify(template)}`);
      const [expression = "", format] = template.slice(at + 1, end).split(":");
      out += formatted(evaluate(expression, n, noise), format ?? usualFormat(expression));
      at = end + 1;
    } else {
      out += char;
      at++;
    }
  }
  return out;
}

const usualFormat = (expression: string) => (/noise|\/|\./.test(expression) ? ".1f" : "d");

/** Sums and products of numbers, `n` and `noise`, left to right. */
function evaluate(source: string, n: number, noise: () => number): number {
  const tokens = source.match(/\d+\.?\d*|\.\d+|noise|n|[-+*/()]|\S/g) ?? [];
  let next = 0;
  const atom = (): number => {
    const token = tokens[next++];
    if (token === "(") {
      const value = sum();
      if (tokens[next++] !== ")") throw new Error(`a ) is missing in {${source}}`);
      return value;
    }
    if (token === "-") return -atom();
    if (token === "n") return n;
    if (token === "noise") return noise();
    if (token !== undefined && /^[\d.]/.test(token)) return Number(token);
    throw new Error(`${token ?? "an end"} is unexpected in {${source}}`);
  };
  const product = (): number => {
    let value = atom();
    while (tokens[next] === "*" || tokens[next] === "/")
      value = tokens[next++] === "*" ? value * atom() : value / atom();
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (tokens[next] === "+" || tokens[next] === "-")
      value = tokens[next++] === "+" ? value + product() : value - product();
    return value;
  };
  const value = sum();
  if (next !== tokens.length) throw new Error(`${tokens[next]} is unexpected in {${source}}`);
  return value;
}

/** As printf does it: `8d`, `.4f`, `12.6E`. */
function formatted(value: number, format: string): string {
  const match = /^(\d*)(?:\.(\d+))?([dfE])$/.exec(format);
  if (match === null) throw new Error(`${format} is no format; expected [width][.digits]f, E or d`);
  const digits = Number(match[2] ?? 6);
  const text =
    match[3] === "d"
      ? String(Math.trunc(value))
      : match[3] === "f"
        ? value.toFixed(digits)
        : value
            .toExponential(digits)
            .replace(/e([+-])(\d)$/, "e$10$2")
            .toUpperCase();
  return text.padStart(Number(match[1] === "" ? 0 : match[1]));
}
