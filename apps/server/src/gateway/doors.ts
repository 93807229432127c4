/**
 * doors: from the configuration to who may call at which pair of listeners.
 *
 * Keeps   external: JWTs and tokens that the site made; the owner's token only while no identity provider is configured. Internal: all
 *         of them, for the roles `controller` and `watcher`; the owner's token always.
 * Source  docs/access.md; docs/decisions/0016.
 */
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Life } from "@reprise/runtime/life.ts";
import type { OidcConfig, ServerConfig } from "../config.ts";
import { type Admit, createAdmission } from "./admission.ts";
import type { Pair } from "./certificates.ts";
import { askForToken, askNobody, type Check, madeTokens, ownersToken } from "./identity.ts";
import { createIssuerKeys } from "./issuer-keys.ts";
import { jwtsOf } from "./jwt.ts";
import type { PairPlan } from "./listeners.ts";
import { createRate, type RateConfig } from "./rate.ts";
import type { Service } from "./services.ts";
import { createSignIn, type SignIn } from "./sign-in.ts";
import type { TokenBook } from "./token-book.ts";

const usualRate: RateConfig = { perSecond: 500, burst: 1_000 };

export interface Served {
  /** By everybody. */
  readonly services: readonly Service[];
  /** On the internal pair besides. */
  readonly internalServices: readonly Service[];
}

/** @param ownToken Absent on an insecure server. @returns The internal pair last. */
export function planDoors(
  config: ServerConfig,
  { services, internalServices }: Served,
  book: TokenBook,
  ownToken: string | undefined,
  life: Pick<Life, "clock" | "log">,
): readonly PairPlan[] {
  const rate = config.rate ?? usualRate;
  const takeCall = createRate(rate, life.clock);
  const made = madeTokens(book);
  const jwts = config.oidc === undefined ? [] : [jwtCheck(config.oidc, life)];
  const owners = ownToken === undefined ? [] : [ownersToken(ownToken)];
  const admission = (pair: Pair, checks: readonly Check[]): Admit =>
    createAdmission({ authenticate: ownToken === undefined ? askNobody : askForToken(checks), pair, rate, takeCall });

  const internal: PairPlan = {
    pair: "internal",
    http: config.internalHttp,
    grpc: config.internalGrpc,
    prefix: config.internalUrlPrefix ?? "",
    services: [...services, ...internalServices],
    admit: admission("internal", [...owners, made, ...jwts]),
    bytesMax: limits.passBytesMax,
  };
  if (config.externalEndpoints === false) return [internal];
  const external: PairPlan = {
    pair: "external",
    http: config.http,
    grpc: config.grpc,
    prefix: config.urlPrefix ?? "",
    services,
    admit: admission("external", [...(config.oidc === undefined ? owners : []), made, ...jwts]),
    bytesMax: limits.bodyBytesMax,
    ...(config.pageFolder === undefined ? {} : { pageFolder: config.pageFolder }),
  };
  return [external, internal];
}

/** People who sign in are given what this server takes from any program. */
export function signInOf({ oidc }: ServerConfig, life: Pick<Life, "clock" | "log">): SignIn | undefined {
  return oidc === undefined ? undefined : createSignIn(oidc, jwtCheck(oidc, life), life.log);
}

function jwtCheck({ issuer, jwks, ...rules }: OidcConfig, { clock, log }: Pick<Life, "clock" | "log">): Check {
  const keys = createIssuerKeys({ issuer, clock, log, ...(jwks === undefined ? {} : { jwks }) });
  return jwtsOf({ issuer, ...rules }, keys, clock);
}

/** Without a token only this machine may knock. */
export function refuseOpenDoors(config: ServerConfig): void {
  if (!config.insecure || config.insecureAnywhere === true) return;
  const external = config.externalEndpoints === false ? {} : { http: config.http, grpc: config.grpc };
  const open = { ...external, internalHttp: config.internalHttp, internalGrpc: config.internalGrpc };
  for (const [key, { host }] of Object.entries(open)) {
    if (!/^(127\.|localhost$|::1$)/.test(host))
      throw new Refusal(
        "precondition",
        `${key}.host: ${host} with insecure: true; expected a loopback address, a token, or insecure_anywhere: true`,
      );
  }
}
