/**
 * admission: may this caller make this call now? The same answer on both transports.
 *
 * In the loop   call → **admit** → handler
 * Gives         the caller's name and rights.
 * Fails         `unauthenticated`: not known who. `busy` (`TooOften`): too many calls. `forbidden`: the roles that would be needed.
 * Keeps         nothing of the request's body was read before.
 */
import { Refusal } from "@reprise/core/refusal.ts";
import type { Pair } from "./certificates.ts";
import type { Authenticate, Identity } from "./identity.ts";
import { type RateConfig, type TakeCall, TooOften } from "./rate.ts";
import { internalRoles, mayCall, type Right } from "./roles.ts";

/** Who may call. `anonymous` has no rights. */
export type Admitted = Pick<Identity, "name" | "rights">;

/** @param operation `package.Service/Method`. */
export type Admit = (operation: string, authorization: string | undefined) => Promise<Admitted>;

export interface AdmissionDeps {
  readonly authenticate: Authenticate;
  readonly pair: Pair;
  readonly rate: RateConfig;
  readonly takeCall: TakeCall;
}

export function createAdmission({ authenticate, pair, rate, takeCall }: AdmissionDeps): Admit {
  return async (operation, authorization) => {
    const needed = mayCall[operation] ?? [];
    if (needed === "everybody") return { name: "anonymous", rights: new Set() };
    const identity = await authenticate(authorization);
    // The owner runs the server, and SAC and the watcher beside it call as he does: nobody's haste may slow a recovery.
    if (identity.rights.has("owner")) return identity;
    const waitMs = takeCall(identity.key);
    if (waitMs > 0) throw new TooOften(identity.name, rate, waitMs);
    if (pair === "internal" && !hasOneOf(identity, internalRoles))
      throw refused(identity, "the internal listeners", internalRoles);
    if (!hasOneOf(identity, needed)) throw refused(identity, operation.replace(/^.*\//, ""), needed);
    return identity;
  };
}

const hasOneOf = ({ rights }: Identity, roles: readonly Right[]): boolean => roles.some((role) => rights.has(role));

function refused({ name, rights }: Identity, what: string, roles: readonly string[]): Refusal {
  const needed = roles.length === 0 ? "the owner's token" : `the role ${roles.join(" or ")}`;
  const has = rights.size === 0 ? "no role" : `the role ${[...rights].join(" and ")}`;
  return new Refusal("forbidden", `${what}: ${needed} is needed; ${name} has ${has}`);
}
