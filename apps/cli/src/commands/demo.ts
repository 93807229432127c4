/** demo: hands over to the demo, with whatever flags it was given: it reads them itself. */
import type { Command } from "commander";
import type { Console } from "../console.ts";

export function define(command: Command, console: Console): void {
  command
    .helpOption(false)
    .allowUnknownOption()
    .argument("[flags...]")
    .action(async (flags: readonly string[]) => {
      const { demo } = await import("../demo/demo.ts");
      process.exit(await demo(flags, console));
    });
}
