/**
 * expression-danger: whether the time of an expression may explode on a line that somebody made up.
 *
 * Takes         the source of a regular expression that compiles.
 * Gives         why it is refused; undefined when it is not.
 * Pure, total
 * Keeps         V8 backtracks: with a repeat inside a repeat the time is exponential in the length of the line, with several
 *               wide repeats in a row a high power of it. A matcher must not stand still over one line.
 * Bound         `wideMax` unbounded repeats of a wide class in one branch; an expression sees 4 KiB of a line at most.
 */
const wideMax = 3;
/** So often at most a group that repeats inside may be repeated. */
const repeatMax = 4;

interface Group {
  /** It holds an unbounded repeat somewhere inside. */
  repeats: boolean;
  /** Unbounded repeats of a wide class in this branch, and the most of the branches before. */
  wide: number;
  wideBefore: number;
}

export function dangerOf(source: string): string | undefined {
  const open: Group[] = [{ repeats: false, wide: 0, wideBefore: 0 }];
  let last: { readonly repeats: boolean; readonly isWide: boolean } = { repeats: false, isWide: false };
  for (let at = 0; at < source.length; ) {
    const group = open.at(-1)!;
    const quantifier = /^(?:[*+]|\{(\d+)(?:(,)(\d*))?\}|\?)\??/.exec(source.slice(at));
    if (quantifier !== null && at > 0) {
      const [all, min, comma, max] = quantifier;
      const isUnbounded = /^[*+]/.test(all) || (comma !== undefined && max === "");
      const times = isUnbounded ? Number.POSITIVE_INFINITY : Number(max === undefined || max === "" ? (min ?? 1) : max);
      if (last.repeats && times > repeatMax) return "a repeated group repeats inside";
      if (isUnbounded) {
        group.repeats = true;
        if (last.isWide) group.wide++;
      }
      if (group.wide > wideMax) return `more than ${wideMax} wide repeats follow each other`;
      at += all.length;
      last = { repeats: last.repeats || isUnbounded, isWide: false };
      continue;
    }
    const char = source[at]!;
    if (char === "(") {
      open.push({ repeats: false, wide: group.wide, wideBefore: group.wide });
      at += /^\((?:\?(?:[:=!]|<[=!]|<[A-Za-z]\w*>))?/.exec(source.slice(at))![0].length;
      continue;
    }
    if (char === ")") {
      const closed = open.pop()!;
      const outer = open.at(-1) ?? closed;
      outer.wide = Math.max(closed.wide, closed.wideBefore);
      outer.repeats ||= closed.repeats;
      last = { repeats: closed.repeats, isWide: false };
      at++;
      continue;
    }
    if (char === "|") {
      group.wideBefore = Math.max(group.wideBefore, group.wide);
      group.wide = open.length > 1 ? Math.min(group.wide, open.at(-2)!.wide) : 0;
      at++;
      continue;
    }
    const atom = /^(?:\[(?:\\.|[^\]\\])*\]|\\.|[^])/.exec(source.slice(at))![0];
    last = { repeats: false, isWide: isWide(atom) };
    at += atom.length;
  }
  return undefined;
}

/** What matches most characters of a line. */
function isWide(atom: string): boolean {
  return atom === "." || atom === "\\S" || atom === "\\w" || atom.startsWith("[^");
}
