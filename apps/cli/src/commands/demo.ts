/** demo: reads the flags of the demo and hands over to it. */
import { type Command, Option } from "commander";
import type { Console } from "../console.ts";
import type { DemoOptions } from "../demo/demo.ts";
import { detected } from "../demo/detection.ts";

export function define(command: Command, console: Console): void {
  command
    .option("--simulated", "on a simulated Slurm: needs no packages and no rights; every line says so")
    .addOption(valued("--fault <kind>", `what goes wrong: ${detected.join(", ")}`, "ecc"))
    .option("--open", "print the page's address, and stay after the story until Enter")
    .option("--json", "the story on stderr, the result as the last line of stdout")
    .addOption(valued("--limit <seconds>", "give up so long after the job was submitted", "240"))
    .addOption(valued("--steps <n>", "training steps", "120"))
    .action(async (options: DemoOptions) => {
      const { demo } = await import("../demo/demo.ts");
      process.exit(await demo(options, console));
    });
}

const valued = (flags: string, says: string, value: string) => new Option(flags, says).default(value, value);
