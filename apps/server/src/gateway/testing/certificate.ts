/**
 * certificate: certificates for tests, made here: an authority, and what it signs. X.509 v3, ECDSA on P-256, valid 2020–2049.
 *
 * Source  RFC 5280 for the structure; X.690 for DER.
 */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Certificate {
  /** For a server on loopback, or a caller. */
  issue(name: string): Certificate;
}

export function createAuthority(name: string): Authority {
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const made = certificate({
    name,
    issuer: name,
    publicKey: own.publicKey,
    signedBy: own.privateKey,
    isAuthority: true,
  });
  return {
    ...pem(made, own.privateKey),
    issue(subject) {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const signed = { name: subject, issuer: name, publicKey, signedBy: own.privateKey, isAuthority: false };
      return pem(certificate(signed), privateKey);
    },
  };
}

/** Writes PEM texts into a folder of this test. @returns Their paths. */
export function pemFiles<K extends string>(texts: Readonly<Record<K, string>>): Readonly<Record<K, string>> {
  const dir = mkdtempSync(join(tmpdir(), "reprise-tls-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const written = Object.entries<string>(texts).map(([name, text]) => {
    const path = join(dir, `${name}.pem`);
    writeFileSync(path, text, { mode: 0o600 });
    return [name, path];
  });
  return Object.fromEntries(written) as Record<K, string>;
}

interface Signed {
  readonly name: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signedBy: KeyObject;
  readonly isAuthority: boolean;
}

let serial = 0;

function certificate({ name, issuer, publicKey, signedBy, isAuthority }: Signed): Buffer {
  const algorithm = sequence(oid("1.2.840.10045.4.3.2")); // ecdsa-with-SHA256
  const time = (text: string) => der(0x17, Buffer.from(text)); // UTCTime
  const loopback = sequence(
    der(0x82, Buffer.from("localhost")), // dNSName
    der(0x87, Buffer.from([127, 0, 0, 1])), // iPAddress
  );
  const isTrue = der(0x01, Buffer.from([0xff]));
  const extensions = isAuthority
    ? [sequence(oid("2.5.29.19"), isTrue, der(0x04, sequence(isTrue)))] // basicConstraints, critical: cA
    : [sequence(oid("2.5.29.17"), der(0x04, loopback))]; // subjectAltName
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1, ++serial])),
    algorithm,
    nameOf(issuer),
    sequence(time("200101000000Z"), time("491231235959Z")),
    nameOf(name),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  return sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", body, signedBy)])));
}

const nameOf = (common: string): Buffer =>
  sequence(der(0x31, sequence(oid("2.5.4.3"), der(0x0c, Buffer.from(common)))));
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(parts));

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const base128 = (value: number): number[] =>
    value < 128 ? [value] : [...base128(value >> 7).map((byte) => byte | 0x80), value & 0x7f];
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function pem(certificateDer: Buffer, privateKey: KeyObject): Certificate {
  const lines = certificateDer
    .toString("base64")
    .replace(/(.{64})/g, "$1\n")
    .trimEnd();
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
