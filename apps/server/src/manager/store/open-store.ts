/**
 * open-store: the store that the configuration asks for.
 */
import type { Life } from "@reprise/runtime/life.ts";
import type { Store } from "../store.ts";
import { openEmbedded } from "./embedded/open-embedded.ts";
import { openPostgres } from "./postgres/open-postgres.ts";

export interface StoreConfig {
  /** PostgreSQL. Absent: the embedded database in `dataDir`. */
  readonly databaseUrl?: string;
  readonly dataDir: string;
}

export function openStore({ databaseUrl, dataDir }: StoreConfig, life: Life): Promise<Store> {
  return databaseUrl === undefined ? openEmbedded(dataDir, life) : openPostgres(databaseUrl, life);
}
