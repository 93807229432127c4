/**
 * cluster.main: the simulated Slurm as a program: `cluster.main DIR [JOBCOMP-SCRIPT]`.
 *
 * Gives   one line of JSON on stdout when it answers: `{"binDir": …, "slurmConf": …}`. Its log is on stderr.
 * Keeps   it ends with whoever started it, however that ended: its stdin closes. Ctrl-C is left to him.
 */
import { Refusal } from "@reprise/core/refusal.ts";
import { processLife } from "@reprise/runtime/life.ts";
import { createLog } from "@reprise/runtime/log.ts";
import { startCluster } from "./cluster.ts";

const [dir, jobCompScript] = process.argv.slice(2);
const log = createLog({ name: "slurm", level: "debug", isPretty: false });
const life = processLife(log, { stopOn: ["SIGTERM"], ignore: ["SIGINT", "SIGHUP"] });
process.stdin.resume().on("close", () => life.stop("whoever started it is gone"));
try {
  if (dir === undefined) throw new Refusal("invalid", "the folder is missing: cluster.main DIR [JOBCOMP-SCRIPT]");
  const options = { dir, ...(jobCompScript === undefined ? {} : { jobCompScript }) };
  const { ended, ...where } = await startCluster(options, life);
  process.stdout.write(`${JSON.stringify(where)}\n`);
  await ended;
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  log.error({ why: error.message }, "refused to run");
  process.exit(1);
}
process.exit(0); // Its stdin would keep it alive.
