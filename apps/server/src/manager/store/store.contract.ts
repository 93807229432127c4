/**
 * store.contract: what every body of `manager/store.ts` does alike.
 *
 * Goal    PGlite, and the body in memory, are trusted because they pass what PostgreSQL passes.
 * Method  one suite, called by each body's test with how to open a fresh store.
 */
import { describe } from "vitest";
import { decisionContract } from "./contract/decision.contract.ts";
import { incarnationContract } from "./contract/incarnation.contract.ts";
import { jobContract } from "./contract/job.contract.ts";
import { listingContract } from "./contract/listing.contract.ts";
import { passContract } from "./contract/pass.contract.ts";
import { signalContract } from "./contract/signal.contract.ts";
import { statusContract } from "./contract/status.contract.ts";
import { targetContract } from "./contract/target.contract.ts";
import type { Open } from "./testing/world.ts";

export function storeContract(name: string, open: Open): void {
  describe(name, () => {
    describe("jobs", () => jobContract(open));
    describe("incarnations", () => incarnationContract(open));
    describe("passes", () => passContract(open));
    describe("signals", () => signalContract(open));
    describe("targets", () => targetContract(open));
    describe("decisions", () => decisionContract(open));
    describe("reconciliation status", () => statusContract(open));
    describe("listings", () => listingContract(open));
  });
}
