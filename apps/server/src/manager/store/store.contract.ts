/**
 * store.contract: what every body of `manager/store.ts` does alike.
 *
 * Goal    PGlite, and the body in memory, are trusted because they pass what PostgreSQL passes.
 * Method  one suite, called by each body's test with how to open a fresh store.
 */
import { describe } from "vitest";
import { auditContract } from "./contract/audit.contract.ts";
import { clusterOrderContract } from "./contract/cluster-order.contract.ts";
import { chainContract } from "./contract/chain.contract.ts";
import { courseContract } from "./contract/course.contract.ts";
import { decisionContract } from "./contract/decision.contract.ts";
import { figuresContract } from "./contract/figures.contract.ts";
import { evidenceContract } from "./contract/evidence.contract.ts";
import { graphContract } from "./contract/graph.contract.ts";
import { incarnationContract } from "./contract/incarnation.contract.ts";
import { jobContract } from "./contract/job.contract.ts";
import { listingContract } from "./contract/listing.contract.ts";
import { nodeLogContract } from "./contract/node-log.contract.ts";
import { noticeContract } from "./contract/notice.contract.ts";
import { nowContract } from "./contract/now.contract.ts";
import { overrideContract } from "./contract/override.contract.ts";
import { passContract } from "./contract/pass.contract.ts";
import { sequenceContract } from "./contract/sequence.contract.ts";
import { shadowContract } from "./contract/shadow.contract.ts";
import { signalContract } from "./contract/signal.contract.ts";
import { statusContract } from "./contract/status.contract.ts";
import { targetContract } from "./contract/target.contract.ts";
import { retentionContract } from "./contract/retention.contract.ts";
import { walkContract } from "./contract/walk.contract.ts";
import { tokenContract } from "./contract/token.contract.ts";
import { traceContract } from "./contract/trace.contract.ts";
import type { Open } from "./testing/world.ts";

/** @param walks How many random walks; opening a database of its own for each takes its time. */
export function storeContract(name: string, open: Open, walks = 40): void {
  describe(name, () => {
    describe("jobs", () => jobContract(open));
    describe("incarnations", () => incarnationContract(open));
    describe("passes", () => passContract(open));
    describe("signals", () => signalContract(open));
    describe("how attempts went", () => courseContract(open));
    describe("targets", () => targetContract(open));
    describe("logs of nodes", () => nodeLogContract(open));
    describe("chains", () => chainContract(open));
    describe("decisions", () => decisionContract(open));
    describe("figures", () => figuresContract(open));
    describe("what would have been", () => shadowContract(open));
    describe("evidence against nodes", () => evidenceContract(open));
    describe("graph", () => graphContract(open));
    describe("how jobs stand", () => nowContract(open));
    describe("overrides", () => overrideContract(open));
    describe("orders about a cluster", () => clusterOrderContract(open));
    describe("reconciliation status", () => statusContract(open));
    describe("audit trail", () => auditContract(open));
    describe("recovery sequences", () => sequenceContract(open));
    describe("retention", () => retentionContract(open));
    describe("notices", () => noticeContract(open));
    describe("traces", () => traceContract(open));
    describe("tokens", () => tokenContract(open));
    describe("listings", () => listingContract(open));
    describe("walks", () => walkContract(open, walks));
  });
}
