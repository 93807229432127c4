/**
 * Goal    the documentation site serves a reader: a word leads to its page, on a telephone as on a desk, dark as light, without another host.
 * Method  the site as `make docs` builds it, served as plain files, in a real Chromium.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { objectionsTo } from "./objections.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "site/.vitepress/dist");
const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const pages = [
  "index",
  "docs/job-authors",
  "docs/operators",
  "docs/install",
  "docs/rollout",
  "docs/on-call",
  "docs/settings",
  "docs/access",
  "docs/data",
  "docs/monitoring",
  "docs/api",
  "docs/model",
  "docs/proof",
  "docs/benchmarks",
  "docs/simulation",
];

let server: Server;
let browser: Browser;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, ["tools/src/site/site.ts"], { cwd: root });
  server = createServer((request, response) => {
    const path = join(
      dist,
      decodeURI(request.url ?? "/")
        .replace(/[?#].*$/, "")
        .replace(/\/$/, "/index.html"),
    );
    if (!existsSync(path)) return void response.writeHead(404).end();
    response
      .writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" })
      .end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  browser = await openBrowser();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Whatever it asks another host for fails its test. */
async function open(path: string, width: number, theme: "dark" | "light"): Promise<Page> {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  onTestFinished(async () => await context.close());
  const elsewhere: string[] = [];
  await context.route(
    (url) => url.origin !== origin && url.protocol !== "data:",
    async (route) => {
      elsewhere.push(route.request().url());
      await route.abort();
    },
  );
  onTestFinished(() => expect(elsewhere).toEqual([]));
  const page = await context.newPage();
  await page.goto(`${origin}/${path}.html`, { waitUntil: "networkidle" });
  return page;
}

test.each([
  ["kill switch", /docs\/on-call\.html/],
  ["MinJobAge", /docs\/(?:install|job-authors)\.html/],
  ["max_requeue_times", /docs\/job-authors\.html/],
  ["fail_open_after", /docs\/(?:settings|on-call)\.html/],
  ["sacctmgr", /docs\/install\.html/],
  ["RepriseStrandedHold", /docs\/runbooks\/RepriseStrandedHold\.html/],
  ["restore a backup", /docs\/data\.html/],
])("who searches for “%s” is led to its page by the first result", async (word, place) => {
  const page = await open("index", 1280, "light");
  const field = page.locator("#localsearch-input");
  const isOpen = async () => {
    await page.keyboard.press("Control+k"); // Again, where its script had not begun to listen.
    return await field.isVisible();
  };
  await expect.poll(isOpen, { timeout: 30_000, interval: 500 }).toBe(true);
  await field.fill(word);
  const first = page.locator(".results .result").first();
  await expect.poll(async () => await first.getAttribute("href"), { timeout: 20_000 }).toMatch(place);
  await page.keyboard.press("Enter");
  await page.waitForURL(place);
  const [start = ""] = word.toLowerCase().split(" ");
  await expect
    .poll(async () => (await page.locator(".vp-doc").innerText()).toLowerCase().includes(start), { timeout: 20_000 })
    .toBe(true);
});

test.each(pages)("%s fits a telephone, and is dark for whoever wants it dark", async (path) => {
  const page = await open(path, 360, "dark");
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  const [, red = "255"] =
    /rgb\((\d+),/.exec(await page.evaluate<string>("getComputedStyle(document.body).backgroundColor")) ?? [];
  expect(Number(red)).toBeLessThan(64);
});

test.each(["dark", "light"] as const)(
  "axe-core finds nothing against the first page and the night's, %s",
  async (theme) => {
    for (const path of ["index", "docs/on-call"]) {
      const page = await open(path, 1280, theme);
      const objections = await objectionsTo(page);
      expect(
        objections.filter((objection) => !isOfVitepress(objection)),
        path,
      ).toEqual([]);
    }
  },
);

/** Its button shows the key beside its name. */
const isOfVitepress = (objection: string) =>
  objection.startsWith("label-content-name-mismatch: <button") && objection.includes("DocSearch");

const wordsPxMin = 9;
test.each([360, 1280])("the words of each picture can be read %i pixels wide", async (width) => {
  const page = await open("docs/model", width, "light");
  const heights = await page.evaluate<number[]>(
    "[...document.querySelectorAll('.picture text')].map((text) => text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize))",
  );
  expect(heights.length).toBeGreaterThan(20);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(wordsPxMin);
});
