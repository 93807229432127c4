/** config: what the server is told. The command line resolves it; the origin of each value is shown by `reprise config`. */
import type { SitePolicy } from "@reprise/core/policy/site-policy.ts";
import type { NoticeConfig } from "./manager/notice/notice.ts";
import type { Retained } from "./manager/retention/expire-once.ts";

export interface ListenAddress {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

export interface ServerConfig {
  /** PostgreSQL. Absent: the embedded database in `dataDir`. */
  readonly databaseUrl?: string;
  readonly dataDir: string;
  readonly http: ListenAddress;
  readonly grpc: ListenAddress;
  readonly internalHttp: ListenAddress;
  readonly internalGrpc: ListenAddress;
  /** False: the external pair does not listen. Default true. */
  readonly externalEndpoints?: boolean;
  /** Stands before every path of HTTP, such as `/recovery`; empty for none. */
  readonly urlPrefix?: string;
  readonly internalUrlPrefix?: string;
  /** The owner's token: may call everything (made when missing, mode 0600). Ignored when `insecure`. */
  readonly tokenFile: string;
  /** Everybody may call everything, and only this machine may knock… */
  readonly insecure: boolean;
  /** …unless this is set. */
  readonly insecureAnywhere?: boolean;
  /** JWTs of an identity provider. Present: the external pair no longer takes the owner's token. */
  readonly oidc?: OidcConfig;
  /** Absent: all listeners are cleartext. */
  readonly tls?: TlsConfig;
  /** Of each caller but the owner. */
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  /** How long a stopping server says so (`/readyz`) before it stops listening. Default 0. */
  readonly drainNoticeMs?: number;
  /** What `make dashboard` has built; the external HTTP listener serves it. Absent: there is no dashboard. */
  readonly pageFolder?: string;
  /** The environment name a policy may ask for. */
  readonly environment?: string;
  /** How long what is at rest is kept. Absent: for ever. */
  readonly retained?: Retained;
  /** What the site says beside the author of a job. Absent: nothing. */
  readonly sitePolicy?: SitePolicy;
  /** Who is told by webhook. Absent: nobody. */
  readonly notices?: NoticeConfig;
  /** Where recoveries are told as traces, by OTLP/HTTP: the whole URL. Absent: nowhere. */
  readonly tracesUrl?: string;
  /** The cluster that an unnamed job belongs to. */
  readonly cluster: string;
}

export interface OidcConfig {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** `https://…` or a file. Absent: the issuer's discovery document names it. */
  readonly jwks?: string;
  readonly rolesClaim: string;
  /** Value of the claim → role. Empty: the values are the roles' names. */
  readonly roleOf: Readonly<Record<string, "viewer" | "operator" | "controller" | "watcher">>;
  readonly clockSkewMs: number;
  /** People sign in at the page with it. Absent: they give a token by hand. */
  readonly signIn?: OidcSignInConfig;
}

export interface OidcSignInConfig {
  readonly clientId: string;
  /** Absent: the provider knows this client as a public one. */
  readonly clientSecretFile?: string;
  /** `openid` among them. */
  readonly scopes: readonly string[];
}

/** PEM files; read again when they change. */
export interface TlsConfig {
  readonly certFile: string;
  readonly keyFile: string;
  /** Callers of the internal pair must show a certificate of this authority, besides their token. */
  readonly clientCaFile?: string;
}

/** What the server says once everything listens. */
export interface ServerReady {
  /** With scheme and prefix. Empty, as `grpc`: the external pair does not listen. */
  readonly http: string;
  readonly grpc: string;
  readonly internalHttp: string;
  readonly internalGrpc: string;
  readonly tokenFile: string;
}
