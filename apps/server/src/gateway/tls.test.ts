/**
 * Goal    all listeners speak TLS where it is configured; a certificate that is renewed is used without a connection being lost; the
 *         internal pair may ask its callers for theirs.
 * Method  an authority and certificates made here; the real listeners and our own clients.
 */
import { writeFileSync } from "node:fs";
import { Agent, request, type RequestOptions } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { type ClientTls, createRpcClient } from "@reprise/protocol/grpc.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAuthority, pemFiles } from "./testing/certificate.ts";
import { openGateway, ownersToken, rawSocket } from "./testing/gateway.ts";

function world() {
  const authority = createAuthority("the site");
  const server = authority.issue("server-1");
  const caller = authority.issue("sac");
  const files = pemFiles({
    ca: authority.cert,
    cert: server.cert,
    key: server.key,
    callerCert: caller.cert,
    callerKey: caller.key,
  });
  return { authority, files, caller, tls: { certFile: files.cert, keyFile: files.key } };
}

function get(url: string, options: RequestOptions): Promise<{ status: number; subject: string }> {
  return new Promise((resolve, reject) => {
    request(`${url}/v1/jobs`, { headers: { authorization: `Bearer ${ownersToken}` }, ...options }, (response) => {
      const socket = response.socket as TLSSocket;
      const subject = String(socket.getPeerCertificate().subject?.CN);
      response.resume().on("end", () => resolve({ status: response.statusCode ?? 0, subject }));
    })
      .on("error", reject)
      .end();
  });
}

function grpc(address: string, tls: ClientTls) {
  const client = createRpcClient(HeimdallService, address, {
    clock: systemClock,
    token: ownersToken,
    tls,
    deadlineMs: 10_000,
  });
  onTestFinished(() => client.close());
  return client;
}

describe("TLS", () => {
  test("on every listener; cleartext and other authorities get nothing", async () => {
    const { tls, files, authority } = world();
    const gateway = await openGateway({ config: { tls } });
    for (const url of [gateway.http, gateway.internalHttp]) {
      expect(url).toMatch(/^https:/);
      expect(await get(url, { ca: authority.cert, agent: false })).toEqual({ status: 200, subject: "server-1" });
      await expect(get(url, { ca: createAuthority("others").cert, agent: false })).rejects.toThrow();
      await expect(fetch(`${url.replace("https", "http")}/healthz`)).rejects.toThrow("fetch failed");
    }
    for (const address of [gateway.grpc, gateway.internalGrpc]) {
      expect(await grpc(address, { caFile: files.ca }).getJobs({})).toMatchObject({ count: 0 });
      const others = pemFiles({ ca: createAuthority("others").cert });
      await expect(grpc(address, { caFile: others.ca }).getJobs({})).rejects.toMatchObject({ code: "unavailable" });
    }
  });

  test("a version that is too old gets nothing", async () => {
    const { tls, authority } = world();
    const gateway = await openGateway({ config: { tls } });
    await expect(
      get(gateway.http, { ca: authority.cert, agent: false, maxVersion: "TLSv1.1", minVersion: "TLSv1" }),
    ).rejects.toThrow();
  });

  test("a renewed certificate is shown to who comes next, and who is there stays", async () => {
    const { tls, files, authority } = world();
    const gateway = await openGateway({ config: { tls } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.cert });
    onTestFinished(() => agent.destroy());
    const staying = grpc(gateway.grpc, { caFile: files.ca });
    await staying.getJobs({});
    expect((await get(gateway.http, { agent })).subject).toBe("server-1");

    const renewed = authority.issue("server-2");
    writeFileSync(files.cert, renewed.cert);
    gateway.certificates?.look(); // The key is still the old one.
    expect((await get(gateway.http, { ca: authority.cert, agent: false })).subject).toBe("server-1");
    writeFileSync(files.key, renewed.key);
    gateway.certificates?.look();

    expect((await get(gateway.http, { agent })).subject, "the connection that was open").toBe("server-1");
    await staying.getJobs({});
    for (const url of [gateway.http, gateway.internalHttp])
      expect((await get(url, { ca: authority.cert, agent: false })).subject).toBe("server-2");
    expect(await subjectAt(gateway.grpc, authority.cert)).toBe("server-2");
    const said = gateway.lines.map(({ message }) => message);
    expect(said).toEqual(["the changed certificate is not used", "a changed certificate is used from now on"]);
  });

  test("callers of the internal pair show a certificate where it asks for one, and still need their token", async () => {
    const { tls, files, authority, caller } = world();
    const gateway = await openGateway({ config: { tls: { ...tls, clientCaFile: files.ca } } });
    const shown = { ca: authority.cert, cert: caller.cert, key: caller.key, agent: false };
    expect((await get(gateway.internalHttp, shown)).status).toBe(200);
    expect((await get(gateway.internalHttp, { ...shown, headers: {} })).status).toBe(401);
    await expect(get(gateway.internalHttp, { ca: authority.cert, agent: false })).rejects.toThrow();
    expect(
      (await get(gateway.http, { ca: authority.cert, agent: false })).status,
      "the external pair asks nobody",
    ).toBe(200);

    const own = { certFile: files.callerCert, keyFile: files.callerKey };
    expect(await grpc(gateway.internalGrpc, { caFile: files.ca, ...own }).getJobs({})).toMatchObject({ count: 0 });
    await expect(grpc(gateway.internalGrpc, { caFile: files.ca }).getJobs({})).rejects.toMatchObject({
      code: "unavailable",
    });
    const stranger = createAuthority("others").issue("sac");
    const theirs = pemFiles({ certFile: stranger.cert, keyFile: stranger.key });
    await expect(grpc(gateway.internalGrpc, { caFile: files.ca, ...theirs }).getJobs({})).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  test("a name in the certificate that is not the address may be told to the caller", async () => {
    const { tls, files } = world();
    const gateway = await openGateway({ config: { tls } });
    const at = gateway.grpc;
    expect(await grpc(at, { caFile: files.ca, serverName: "localhost" }).getJobs({})).toMatchObject({ count: 0 });
    await expect(grpc(at, { caFile: files.ca, serverName: "other.example" }).getJobs({})).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  test("a caller who sends nothing holds nobody up", async () => {
    const { tls, files, authority } = world();
    const gateway = await openGateway({ config: { tls } });
    for (let i = 0; i < 50; i++) rawSocket(gateway.http.replace("https", "http"));
    expect((await get(gateway.http, { ca: authority.cert, agent: false })).status).toBe(200);
    expect(await grpc(gateway.grpc, { caFile: files.ca }).getJobs({})).toMatchObject({ count: 0 });
  });
});

describe("at the start", () => {
  test.each<[what: string, change: (tls: { certFile: string; keyFile: string }) => object, message: RegExp]>([
    ["a file that is not there", (tls) => ({ ...tls, keyFile: `${tls.keyFile}.none` }), /^tls_key .*\.none: ENOENT/],
    [
      "a key of another certificate",
      (tls) => ({ ...tls, ...pemFiles({ keyFile: createAuthority("x").key }) }),
      /^tls_cert .* and tls_key .*: /,
    ],
    [
      "no certificate at all",
      (tls) => ({ ...tls, ...pemFiles({ certFile: "hello" }) }),
      /^tls_cert .* and tls_key .*: /,
    ],
  ])("%s is named, and nothing listens", async (_what, change, message) => {
    const { tls } = world();
    await expect(openGateway({ config: { tls: change(tls) as typeof tls } })).rejects.toThrow(message);
  });
});

function subjectAt(address: string, ca: string): Promise<string> {
  const [host = "", port] = address.split(":");
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), ca, ALPNProtocols: ["h2"] }, () => {
      resolve(String(socket.getPeerCertificate().subject?.CN));
      socket.destroy();
    }).on("error", reject);
  });
}
