/**
 * certificates: the server's certificate and key, and the authority of its callers' ones, read again when the files change.
 *
 * Gives   the context for TLS of each pair of listeners. Connections that are open keep the one that they began with.
 * Fails   at the start: `precondition`, with the file and what is wrong with it. Later the last ones that fit are kept, and the log says
 *         why: certificate and key are two files, and are seldom changed at the same moment.
 */
import { readFileSync } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { TlsConfig } from "../config.ts";

export type Pair = "external" | "internal";

export interface Certificates {
  contextOf(pair: Pair): SecureContextOptions;
  /** Whether callers of that pair must show a certificate of theirs. */
  asksCallers(pair: Pair): boolean;
  /** Reads the files. Tells the listeners if they have changed. */
  look(): void;
  onChange(listener: () => void): void;
}

interface Material {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
}

export function loadCertificates(config: TlsConfig, log: Log): Certificates {
  const listeners: (() => void)[] = [];
  let material = read(config);
  let badText: string | undefined;
  return {
    contextOf: (pair) => contextOf(material, pair),
    asksCallers: (pair) => pair === "internal" && config.clientCaFile !== undefined,
    onChange: (listener) => void listeners.push(listener),
    look() {
      try {
        const now = read(config);
        if (JSON.stringify(now) === JSON.stringify(material)) return;
        material = now;
        badText = undefined;
      } catch (error) {
        const why = (error as Error).message;
        if (why !== badText) log.warn({ why }, "the changed certificate is not used");
        badText = why;
        return;
      }
      for (const listener of listeners) listener();
      log.info({ certFile: config.certFile }, "a changed certificate is used from now on");
    },
  };
}

function contextOf({ cert, key, clientCa }: Material, pair: Pair): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: "TLSv1.2",
    ...(pair === "internal" && clientCa !== undefined ? { ca: clientCa } : {}),
  };
}

function read({ certFile, keyFile, clientCaFile }: TlsConfig): Material {
  const cert = readText("tls_cert", certFile);
  const key = readText("tls_key", keyFile);
  const clientCa = clientCaFile === undefined ? undefined : readText("internal_client_ca", clientCaFile);
  const material = { cert, key, clientCa };
  try {
    createSecureContext(contextOf(material, "internal"));
  } catch (error) {
    // OpenSSL's own words; they quote nothing of a key.
    throw new Refusal("precondition", `tls_cert ${certFile} and tls_key ${keyFile}: ${(error as Error).message}`);
  }
  return material;
}

function readText(setting: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Refusal("precondition", `${setting} ${path}: ${(error as Error).message}`);
  }
}
