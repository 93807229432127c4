/**
 * grpc-credentials: TLS of a gRPC listener, with certificates that may change while it listens.
 *
 * Keeps   connections that are open go on; new ones see the new certificate.
 */
import { ServerCredentials } from "@grpc/grpc-js";
import { usualPatience } from "./http-limits.ts";
import type { Certificates, Pair } from "./certificates.ts";

export function reloadedCredentials(certificates: Certificates, pair: Pair): ServerCredentials {
  return new ReloadedCredentials(certificates, pair);
}

class ReloadedCredentials extends ServerCredentials {
  constructor(certificates: Certificates, pair: Pair) {
    const asks = certificates.asksCallers(pair);
    super(
      { requestCert: asks, rejectUnauthorized: asks, handshakeTimeout: usualPatience.headersMs },
      certificates.contextOf(pair),
    );
    certificates.onChange(() => this.updateSecureContextOptions(certificates.contextOf(pair)));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
