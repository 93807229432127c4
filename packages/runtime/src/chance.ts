/** chance: the only place that draws lots. Everything else is handed a `Chance`. */
import { randomUUID } from "node:crypto";
import type { Chance } from "./life.ts";

export const systemChance: Chance = {
  uuid: () => randomUUID(),
  number: () => Math.random(),
};
