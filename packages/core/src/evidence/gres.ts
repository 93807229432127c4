/**
 * gres: generic resources (GPUs and the like), as a node has them and as a job asks for them, read.
 *
 * Takes         what sinfo prints of a node: `gpu:h100:8(S:0-1),shard:16`; and squeue of a job: `gres:gpu:h100:2`, `gres/gpu=2`.
 * Gives         each with its name, type and count; `undefined` for a text of another form: then it is not known what is meant.
 * Pure, total
 * Source        man gres.conf; printed by 22.05.8 (a colon behind `gres`) and by 25.11.7 (a slash).
 */

export interface Gres {
  readonly name: string;
  /** Absent: of a node, it has none; of a job, any will do. */
  readonly type?: string;
  /** Without a number: 1. */
  readonly count: number;
}

const charsMax = 1_000;
const factors: Readonly<Record<string, number>> = { K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };
/** A type may begin with a digit (`1g.10gb`), and is one unless it is a number. */
const form = /^(?:gres[:/])?([A-Za-z_][\w.-]*)(?::(?!\d+[KMGT]?$)([\w.-]+))?(?:[:=](\d{1,9})([KMGT])?)?$/;

/** @param text  `""` and `(null)`: none. */
export function readGres(text: string): readonly Gres[] | undefined {
  if (text === "" || text === "(null)") return [];
  if (text.length > charsMax) return undefined;
  const all = text
    .replaceAll(/\([^)]*\)/g, "") // The sockets that they are near to.
    .split(",")
    .map(gresOf);
  return all.every((one) => one !== undefined) ? all : undefined;
}

function gresOf(text: string): Gres | undefined {
  const [, name, type, count = "1", unit] = form.exec(text) ?? [];
  if (name === undefined) return undefined;
  const number = Number(count) * (unit === undefined ? 1 : (factors[unit] ?? 1));
  return { name, ...(type === undefined ? {} : { type }), count: number };
}

/** All that is asked is there. */
export const hasGres = (has: readonly Gres[], asked: readonly Gres[]): boolean =>
  asked.every(({ name, type, count }) => {
    const fitting = has.filter((one) => one.name === name && (type === undefined || one.type === type));
    return fitting.reduce((sum, one) => sum + one.count, 0) >= count;
  });
