/**
 * Goal    a browser gets the page and nothing else of this machine; the API keeps its paths; no other host is reached.
 * Method  a folder with one file of each kind, asked as a browser and as a program asks.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { createPage } from "./page.ts";

const folder = mkdtempSync(join(tmpdir(), "page-"));
mkdirSync(join(folder, "assets"));
writeFileSync(join(folder, "index.html"), "<!doctype html><head><title>x</title></head>");
writeFileSync(join(folder, "assets/index-abc.js"), "export {}");
writeFileSync(join(folder, "notes.txt"), "not for the world");
afterAll(() => rmSync(folder, { recursive: true }));

const page = createPage("", folder);
const navigating = { accept: "text/html,application/xhtml+xml;q=0.9" };

test("whoever navigates gets the document, whatever the path, so that the page itself can show it", () => {
  for (const path of ["/", "/jobs", "/jobs/95_1", "/workflows/a%2Fb", "/nothing"]) {
    const document = page("GET", path, navigating);
    expect(document).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
    expect(document?.headers["cache-control"]).toBe("no-cache");
  }
});

test("paths of the API are the API's, also for a browser; and a program is told by it that there is no such path", () => {
  for (const path of ["/v1/jobs", "/v1", "/reprise/v1/now", "/openapi.json", "/healthz"])
    expect(page("GET", path, navigating)).toBeUndefined();
  expect(page("GET", "/nothing", { accept: "*/*" })).toBeUndefined();
  expect(page("POST", "/jobs", navigating)).toBeUndefined();
});

test("a file whose name carries its hash is kept for ever; nothing but files of the page is given", () => {
  expect(page("GET", "/assets/index-abc.js", {})?.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(page("GET", "/notes.txt", {})).toBeUndefined();
  expect(page("GET", "/../page.ts", {})).toBeUndefined();
  expect(page("GET", "/assets/gone.js", { accept: "*/*" })).toBeUndefined();
});

test("who can unpack gets it packed", () => {
  const packed = page("GET", "/assets/index-abc.js", { "accept-encoding": "gzip, br" });
  expect(packed?.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(packed?.body ?? "").toString()).toBe("export {}");
});

test("the policy lets nothing in from elsewhere, and no script or style that stands in the document", () => {
  const policy = page("GET", "/", {})?.headers["content-security-policy"] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

test("behind a prefix the document says where its addresses begin", () => {
  const body = createPage("/recovery", folder)("GET", "/", {})?.body.toString();
  expect(body).toContain('<base href="/recovery/">');
});

test("what is not built says how to build it; and without a folder there is no page", () => {
  const missing = createPage("", join(folder, "missing"))("GET", "/", {});
  expect(missing?.status).toBe(503);
  expect(missing?.body.toString()).toContain("make dashboard");
  expect(createPage("", undefined)("GET", "/", navigating)).toBeUndefined();
});
