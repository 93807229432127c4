/**
 * scenario: the interpreter of transcripts: commands, a rule, what must be seen.
 *
 *     # A sentence.
 *
 *     job a nodes=2 max_requeue_times=2      what `commands.ts` has, one a line
 *     run 5m
 *     ----
 *     00:00 slurm    1#0 started on n1 n2    the diary of these commands
 *
 * Takes   the text of one file. Blocks are separated by an empty line.
 * Gives   the same text with what was really seen; the test compares, `make golden` rewrites.
 * Keeps   every checker watches: a violation is a line of the transcript, and an error.
 */
import { Lots } from "./chance.ts";
import { watchAll } from "./checkers/all.ts";
import { obey, type Stage } from "./commands.ts";
import { World } from "./world.ts";
import { writtenWorld } from "./write-world.ts";

const rule = "----";

export interface Played {
  readonly text: string;
  readonly violation: string | undefined;
  /** As it is at the end. */
  readonly world: World;
}

export async function play(text: string): Promise<Played> {
  const blocks = text.trimEnd().split(/\n\n+/);
  const spec = writtenWorld(blocks.flatMap((block) => commandsOf(block)));
  const world = new World(spec, new Lots(1n));
  const { atEnd } = watchAll(world);
  const seen: string[] = [];
  world.diary.onLine((who, said) => {
    const line = shown(world.diary.time(), who, said);
    if (line !== undefined) seen.push(line);
  });
  const stage: Stage = { world, say: (line) => seen.push(line), jobs: new Map(), hasBegun: false };
  const played: string[] = [];
  for (const block of blocks) {
    const commands = commandsOf(block);
    seen.length = 0;
    for (const command of commands) if (!command.startsWith("#")) await obey(stage, command);
    const isTold = commands.some((c) => !c.startsWith("#") && !isSetting(c));
    played.push([...commands, ...(isTold ? [rule, ...seen] : [])].join("\n"));
  }
  seen.length = 0;
  await atEnd();
  const { violation } = world;
  return { text: `${played.join("\n\n")}\n`, violation: violation && `${violation.checker}: ${violation.text}`, world };
}

const commandsOf = (block: string) => block.split(`\n${rule}`, 1)[0]!.split("\n");
const isSetting = (command: string) => /^(cluster|reprise) /.test(command);

/** What the line of SAC tells already is left out of Slurm's; and what is only there to begin. */
function shown(time: string, who: string, said: string): string | undefined {
  if (who === "slurm" && / (updated|released) /.test(said) && said.endsWith(" by root")) return undefined;
  if (who === "slurm" && / (completing|submitted) /.test(said)) return undefined;
  if (time.startsWith("0:00:00.000") && said === "starts") return undefined;
  const [, hours = "0", minutes = "00", seconds = "00"] = /^(\d+):(\d\d):(\d\d)/.exec(time) ?? [];
  const at = `${String(Number(hours) * 60 + Number(minutes)).padStart(2, "0")}:${seconds}`;
  const short = said.replace(/ by slurm$/, "").replace(/ \(([^()]*,)?n\d+(,n\d+)*\)$/, "");
  return `${at} ${who.padEnd(8)} ${short}`.trimEnd();
}
