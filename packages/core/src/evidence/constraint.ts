/**
 * constraint: what `sbatch --constraint` asks of the nodes' features, read.
 *
 * Takes         the expression as squeue prints it: `h100`, `a&b`, `a|b`, `(a|b)&c`, `[rack1|rack2]`, `a*2`, `[rack1*2&rack2*4]`.
 * Gives         the ways in which it can be met, of which one suffices; `undefined` for an expression that is not one of these forms: then it
 *               is not known which nodes the job could be given.
 * Pure, total
 * Source        man sbatch, `--constraint`; placed by 22.05.8: `a|b&c` is (a|b)&c, from the left; `[a|b]` gives nodes of one of them only;
 *               `a*2` of four nodes leaves two without a demand; of `[a*1&b*1]` no node counts for both.
 */

export type Features = ReadonlySet<string>;

export interface FeatureDemand {
  readonly isMetBy: (features: Features) => boolean;
  /** So many of the job's nodes, none of which counts for another demand. Absent: all of them. */
  readonly count?: number;
}

/** Demands that hold together. */
export type Way = readonly FeatureDemand[];

const charsMax = 1_000;
/** Every set of them is counted. */
const demandsMax = 4;

export function readConstraint(text: string): readonly Way[] | undefined {
  const tokens = text.length > charsMax ? undefined : tokensOf(text);
  if (tokens === undefined) return undefined;
  const inner = bracketed(tokens);
  if (inner === undefined) {
    const way = tokens.includes("*") ? countedOf(tokens) : demandOf(tokens);
    return way === undefined ? undefined : [[way]];
  }
  return inner.includes("*") ? togetherOf(inner) : eitherOf(inner);
}

const operators = new Set(["&", "|", "(", ")", "[", "]", "*"]);
const isName = (token: string | undefined): token is string => token !== undefined && !operators.has(token);

/** Names and operators. `!`, white space and quotes are of no form that we know (squeue prints `a,b` as `a&b`). */
function tokensOf(text: string): readonly string[] | undefined {
  const tokens = text.match(/[&|()[\]*]|[^&|()[\]*]+/g) ?? [];
  const isOdd = tokens.some((token) => /[!,\s"'{}]/.test(token));
  return isOdd || tokens.length === 0 ? undefined : tokens;
}

/** What stands in the brackets around all of it. */
function bracketed(tokens: readonly string[]): readonly string[] | undefined {
  return tokens.at(0) === "[" && tokens.at(-1) === "]" ? tokens.slice(1, -1) : undefined;
}

/** `[a|b]`: all nodes have the same one. */
function eitherOf(tokens: readonly string[]): readonly Way[] | undefined {
  const ways = partsAt("|", tokens).map((part) => (isGroup(part) ? demandOf(part) : undefined));
  return ways.every((way) => way !== undefined) ? ways.map((way) => [way]) : undefined;
}

/** `[a*2&b*4]` */
function togetherOf(tokens: readonly string[]): readonly Way[] | undefined {
  const demands = partsAt("&", tokens).map(countedOf);
  return demands.length <= demandsMax && demands.every((demand) => demand !== undefined) ? [demands] : undefined;
}

/** `a*2`, `(a&b)*2` */
function countedOf(tokens: readonly string[]): FeatureDemand | undefined {
  const [star, count = ""] = tokens.slice(-2);
  const group = tokens.slice(0, -2);
  const demand = star === "*" && /^[1-9]\d{0,5}$/.test(count) && isGroup(group) ? demandOf(group) : undefined;
  return demand === undefined ? undefined : { ...demand, count: Number(count) };
}

/** One name, or one pair of parentheses around all of it: what joins two of them is unambiguous. */
function isGroup(tokens: readonly string[]): boolean {
  return tokens.length === 1 ? isName(tokens[0]) : tokens[0] === "(" && closing(tokens, 0) === tokens.length - 1;
}

function closing(tokens: readonly string[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    if (tokens[i] === "(") depth++;
    if (tokens[i] === ")" && --depth === 0) return i;
  }
  return -1;
}

/** Cut at each such operator that stands in no parentheses. */
function partsAt(operator: string, tokens: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token === "(") depth++;
    if (token === ")") depth--;
    if (token === operator && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** `a&b|c` with parentheses: each node by itself, from the left. */
function demandOf(tokens: readonly string[]): FeatureDemand | undefined {
  let at = 0;
  const term = (): FeatureDemand | undefined => {
    const token = tokens[at++];
    if (token === "(") {
      const inner = all();
      return tokens[at++] === ")" ? inner : undefined;
    }
    return isName(token) ? { isMetBy: (features) => features.has(token) } : undefined;
  };
  const all = (): FeatureDemand | undefined => {
    let left = term();
    for (let operator = tokens[at]; operator === "&" || operator === "|"; operator = tokens[at]) {
      at++;
      left = joined(left, operator, term());
    }
    return left;
  };
  const demand = all();
  return at === tokens.length ? demand : undefined;
}

function joined(
  left: FeatureDemand | undefined,
  operator: "&" | "|",
  right: FeatureDemand | undefined,
): FeatureDemand | undefined {
  if (left === undefined || right === undefined) return undefined;
  return operator === "&"
    ? { isMetBy: (features) => left.isMetBy(features) && right.isMetBy(features) }
    : { isMetBy: (features) => left.isMetBy(features) || right.isMetBy(features) };
}
