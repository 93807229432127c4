/**
 * migrate: brings the schema of a database to what this program needs. Several replicas may start at once: they wait for each other.
 *
 * Fails   whole: a migration that fails leaves the schema as it was. A database that a newer program has changed is refused.
 */
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { up as first } from "./migrations/0001-first.ts";
import { up as auditAndSequences } from "./migrations/0002-audit-and-sequences.ts";
import { up as tokens } from "./migrations/0003-tokens.ts";
import { up as places } from "./migrations/0004-places.ts";
import { up as detectors } from "./migrations/0005-detectors.ts";
import { up as gates } from "./migrations/0007-gates.ts";
import { up as overrides } from "./migrations/0008-overrides.ts";
import { up as retention } from "./migrations/0009-retention.ts";
import { up as handovers } from "./migrations/0010-handovers.ts";
import { up as oldAttempts } from "./migrations/0012-old-attempts.ts";
import { up as nodeLogs } from "./migrations/0013-node-logs.ts";
import { up as arrays } from "./migrations/0014-arrays.ts";
import { up as nodeEvidence } from "./migrations/0015-node-evidence.ts";
import { up as slurmRelease } from "./migrations/0039-slurm-release.ts";
import { up as logHeard } from "./migrations/0040-log-heard.ts";
import { up as clusterOrders } from "./migrations/0041-cluster-orders.ts";
import { up as nodeFeatures } from "./migrations/0042-node-features.ts";
import { up as notices } from "./migrations/0046-notices.ts";
import { up as heard } from "./migrations/0048-heard.ts";
import { up as courses } from "./migrations/0049-courses.ts";
import { up as traces } from "./migrations/0050-traces.ts";
import { up as nodeHardware } from "./migrations/0051-node-hardware.ts";
import { up as reportId } from "./migrations/0052-report-id.ts";
import type { Db } from "./schema.ts";

const migrations = {
  "0001-first": { up: first },
  "0002-audit-and-sequences": { up: auditAndSequences },
  "0003-tokens": { up: tokens },
  "0004-places": { up: places },
  "0005-detectors": { up: detectors },
  "0007-gates": { up: gates },
  "0008-overrides": { up: overrides },
  "0009-retention": { up: retention },
  "0010-handovers": { up: handovers },
  "0012-old-attempts": { up: oldAttempts },
  "0013-node-logs": { up: nodeLogs },
  "0014-arrays": { up: arrays },
  "0015-node-evidence": { up: nodeEvidence },
  "0039-slurm-release": { up: slurmRelease },
  "0040-log-heard": { up: logHeard },
  "0041-cluster-orders": { up: clusterOrders },
  "0042-node-features": { up: nodeFeatures },
  "0046-notices": { up: notices },
  "0048-heard": { up: heard },
  "0049-courses": { up: courses },
  "0050-traces": { up: traces },
  "0051-node-hardware": { up: nodeHardware },
  "0052-report-id": { up: reportId },
};

/** In the order in which they are made. */
export const knownMigrations: readonly string[] = Object.keys(migrations);

export async function migrate(db: Db): Promise<void> {
  // Named, since the Migrator would otherwise find its table in any schema of the database and take it for ours.
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  const schema = rows[0]?.name ?? "public";
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableSchema: schema,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    throw new Error(`the database schema "${schema}" could not be brought up to date`, { cause: error });
  }
}
