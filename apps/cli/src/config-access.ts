/**
 * config-access: the settings of who may call, of TLS, and of what callers may not do; a part of `config-schema.ts`.
 *
 * Keeps   what is half configured does not start: a key without its certificate, roles without an issuer.
 */
import type { Settings, Values } from "@reprise/runtime/config.ts";
import * as type from "@reprise/runtime/setting.ts";
import type { OidcConfig } from "@reprise/server/config.ts";

export const accessSettings = {
  insecureAnywhere: {
    doc: "Let other machines call a server that is insecure, too.",
    type: type.yesNo(),
    default: false,
  },
  externalEndpoints: {
    doc: "Listen for people and programs; else only for SAC, the watcher and the owner.",
    type: type.yesNo(),
    default: true,
    variables: ["HEIMDALL_ENABLE_EXTERNAL_ENDPOINTS"],
  },
  urlPrefix: {
    doc: "Stands before every path of HTTP.",
    type: type.pathPrefix(),
    default: "",
    variables: ["HEIMDALL_URL_PREFIX"],
  },
  internalUrlPrefix: {
    doc: "The same for the internal HTTP.",
    type: type.pathPrefix(),
    default: "",
    variables: ["HEIMDALL_INTERNAL_URL_PREFIX"],
  },
  oidcIssuer: {
    doc: "Identity provider whose JWTs are taken; exactly as in their claim `iss`.",
    type: type.optional(type.trustedUrl()),
    default: undefined,
  },
  oidcAudience: {
    doc: "The JWTs must be for one of these: their claim `aud`.",
    type: type.names("audiences such as reprise", /^[\x21-\x7e]{1,512}$/),
    default: [],
  },
  oidcJwks: {
    doc: "Keys of the issuer, a URL or a file. Not set: its discovery document names them.",
    type: type.optional(type.urlOrPath()),
    default: undefined,
  },
  oidcRolesClaim: {
    doc: "Claim with the caller's roles; dots lead into it, as in realm_access.roles.",
    type: type.text(),
    default: "roles",
  },
  oidcRoles: {
    doc: "What the claim's values mean, as value=role. Not set: its values are the roles' names.",
    type: type.names(
      "pairs such as sre=operator; roles are viewer, operator, controller, watcher",
      /^.{1,512}=(?:viewer|operator|controller|watcher)$/,
    ),
    default: [],
  },
  oidcClientId: {
    doc: "People sign in at the page with the provider, which knows this server by this name. Not set: by token.",
    type: type.optional(type.text()),
    default: undefined,
  },
  oidcClientSecretFile: {
    doc: "File with the secret of oidc_client_id. Not set: the provider knows it as a public client.",
    type: type.optional(type.path()),
    default: undefined,
  },
  oidcScopes: {
    doc: "What the provider is asked for when somebody signs in; openid always.",
    type: type.names("scopes such as groups", /^[\x21-\x7e]{1,128}$/),
    default: ["openid"],
  },
  oidcClockSkew: { doc: "How far the issuer's clock may differ.", type: type.duration(0, 300_000), default: 60_000 },

  tlsCert: {
    doc: "Certificate of the server with its chain (PEM), for all listeners. Read again when it changes.",
    type: type.optional(type.path()),
    default: undefined,
  },
  tlsKey: { doc: "Its key (PEM).", type: type.optional(type.path()), default: undefined },
  internalClientCa: {
    doc: "Callers of the internal listeners must show a certificate of this authority (PEM).",
    type: type.optional(type.path()),
    default: undefined,
  },
  caFile: {
    doc: "SAC, the watcher and the commands call the server by TLS, and it must be of this authority (PEM). Not set: tls_cert.",
    type: type.optional(type.path()),
    default: undefined,
  },
  clientCert: {
    doc: "Certificate of SAC and the watcher, where the server asks for one (PEM).",
    type: type.optional(type.path()),
    default: undefined,
  },
  clientKey: { doc: "Its key (PEM).", type: type.optional(type.path()), default: undefined },
  tlsServerName: {
    doc: "Name in the server's certificate, where SAC and the watcher call it by another one.",
    type: type.optional(type.text()),
    default: undefined,
  },

  rateLimit: {
    doc: "Calls a second of one caller, twice as many at once; 0: no limit. The owner has none.",
    type: type.wholeNumber(0, 1_000_000),
    default: 500,
  },
  drainNotice: {
    doc: "How long a stopping server only says so (/readyz) before it stops listening.",
    type: type.duration(0, 60_000),
    default: 0,
  },
} as const satisfies Settings;

type AccessValues = Values<typeof accessSettings> & { readonly insecure: boolean };
export type AccessKey = keyof typeof accessSettings;

/** What single values cannot show. @param say Takes the key that is wrong, and what was expected. */
export function checkAccess(values: AccessValues, say: (key: AccessKey, expected: string) => void): void {
  const isSet = (key: AccessKey) => values[key] !== undefined && String(values[key]) !== "";
  const needs = (key: AccessKey, other: AccessKey, why: string) => {
    if (isSet(key) && !isSet(other)) say(other, why);
  };
  needs("oidcIssuer", "oidcAudience", "at least one audience beside oidc_issuer: a JWT for others is not for us");
  for (const key of ["oidcAudience", "oidcJwks", "oidcRoles"] as const)
    needs(key, "oidcIssuer", "an issuer: without one no JWT is taken");
  needs("oidcClientId", "oidcIssuer", "an issuer: people sign in with it");
  needs("oidcClientSecretFile", "oidcClientId", "the client whose secret it is");
  needs("tlsCert", "tlsKey", "the key of tls_cert");
  needs("tlsKey", "tlsCert", "the certificate of tls_key");
  needs("internalClientCa", "tlsCert", "a certificate of the server: callers show theirs only by TLS");
  needs("clientCert", "clientKey", "the key of client_cert");
  needs("clientKey", "clientCert", "the certificate of client_key");
  if (isSet("clientCert") && !isSet("caFile") && !isSet("tlsCert"))
    say("caFile", "the authority of the server: a certificate is shown only by TLS");
  if (values.insecure && isSet("oidcIssuer"))
    say("oidcIssuer", "nothing, because insecure is true: nobody would be asked for a JWT");
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

export function oidcConfig(v: AccessValues): OidcConfig | undefined {
  if (v.oidcIssuer === undefined) return undefined;
  const pairs = v.oidcRoles.map((pair) => {
    const at = pair.lastIndexOf("="); // The value may have one too: groups of LDAP do.
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return {
    issuer: v.oidcIssuer,
    audiences: v.oidcAudience,
    ...(v.oidcJwks === undefined ? {} : { jwks: v.oidcJwks }),
    rolesClaim: v.oidcRolesClaim,
    roleOf: Object.fromEntries(pairs) as OidcConfig["roleOf"],
    clockSkewMs: v.oidcClockSkew,
    ...(v.oidcClientId === undefined
      ? {}
      : {
          signIn: {
            clientId: v.oidcClientId,
            scopes: [...new Set(["openid", ...v.oidcScopes])],
            ...(v.oidcClientSecretFile === undefined ? {} : { clientSecretFile: v.oidcClientSecretFile }),
          },
        }),
  };
}
