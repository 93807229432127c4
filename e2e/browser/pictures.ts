/**
 * pictures: every page at three sizes in both themes, and what stands where data would: always the same, because time stands still.
 *
 * Gives   each picture as PNG, once the page has stopped changing.
 * Keeps   server and browser have one time that does not pass (timers run); what is shown follows from `fill.ts` alone.
 */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { systemClock } from "@reprise/runtime/clock.ts";
import { type Look, openBrowser, signedIn } from "./chromium.ts";
import { fill } from "./fill.ts";
import { seeAll, startWorld, tokenFor, type World } from "./world.ts";

export const sizes: Readonly<Record<string, Omit<Look, "theme">>> = {
  phone: { width: 360, height: 780 },
  laptop: { width: 1366, height: 850 },
  wall: { width: 3840, height: 2160 },
};
export const looks: readonly (readonly [name: string, look: Look])[] = (["dark", "light"] as const).flatMap((theme) =>
  Object.entries(sizes).map(([size, look]) => [`${size}-${theme}`, { ...look, theme }] as const),
);

const stateLooks: ReadonlySet<string> = new Set(["360 light", "1366 dark"]);

interface Shown {
  readonly path: string;
  /** Shown on a phone in the light and on a laptop in the dark only. */
  readonly isState?: true;
  /** Of what is longer than the window: as far as the window shows it. */
  readonly isCut?: true;
  /** Who looks. Absent: the owner. */
  readonly as?: "nobody" | "watcher" | "viewer";
  /** On a server that has seen nothing. */
  readonly isEmpty?: true;
  /** What is done to the page before it is opened; and after. */
  readonly before?: (page: Page) => Promise<unknown>;
  readonly after?: (page: Page) => Promise<unknown>;
}

export const pages: Readonly<Record<string, Shown>> = {
  now: { path: "/" },
  jobs: { path: "/jobs", isCut: true },
  job: { path: "/jobs/4711" },
  stopped: { path: "/jobs/4713" },
  hostile: { path: "/jobs/4717", isCut: true },
  silent: { path: "/jobs/4718" },
  advice: { path: "/advice", isCut: true },
  // Decisions about many jobs are made in any order.
  audit: { path: "/audit?type=job.seen", isCut: true },
  nodes: { path: "/nodes" },
  workflows: { path: "/workflows", isCut: true },
  workflow: {
    path: "/workflows/pipeline",
    after: async (page) => {
      await page.locator(".react-flow__edge-text").nth(2).waitFor();
      await page.getByText("closed: job 4721").nth(1).waitFor();
    },
  },
  mode: { path: "/mode" },
  order: {
    path: "/jobs/4714",
    isCut: true,
    isState: true,
    after: async (page) => {
      await page.getByRole("button", { name: "Forbid restarts…" }).click();
      await page.locator("dialog .preview.effect").waitFor();
    },
  },
  "sign-in": { path: "/", as: "nobody", isCut: true, isState: true },
  viewer: { path: "/mode", as: "viewer", isCut: true, isState: true },
  refused: { path: "/advice", as: "watcher", isCut: true, isState: true },
  empty: { path: "/", isEmpty: true, isCut: true, isState: true },
  loading: {
    path: "/jobs",
    isCut: true,
    isState: true,
    before: (page) => page.route("**/v1/jobs?*", () => undefined),
    after: modeIsKnown,
  },
  failed: {
    path: "/nodes",
    isCut: true,
    isState: true,
    after: modeIsKnown,
    before: (page) =>
      page.route("**/v1/nodes?*", (route) =>
        route.fulfill({ status: 503, json: { code: 14, message: "the database is away" } }),
      ),
  },
  old: {
    path: "/",
    isCut: true,
    isState: true,
    after: async (page) => {
      await page.route("**/v1/**", (route) => route.abort());
      await page.clock.setFixedTime(fixedAt + 60_000);
      await page.locator(".stale").waitFor();
      // Each age goes on by a timer of its own.
      await page.getByText("was looked at 1 min ago").waitFor();
      await page.getByText("26 min 16 s ago").waitFor();
      await page.getByText("1 min 20 s ago").nth(1).waitFor();
    },
  },
};

const filledAt = Date.UTC(2026, 2, 2, 10);
/** What the day brought lies before that. */
const fixedAt = filledAt + 20_000;
/** The server's answers are as old as the browser's clock says: else its own, which goes on, would count. */
const fixedDate = `{
  const get = Headers.prototype.get;
  Headers.prototype.get = function (name) { return name === "date" ? new Date().toUTCString() : get.call(this, name); };
}`;

type OnPicture = (name: string, png: Buffer) => Promise<void>;

export interface Gallery {
  readonly browser: Browser;
  /**
   * @param only Names of pages; all where there are none.
   * @param style Added to the page's own. Absent: as it is.
   */
  take(look: Look, only: readonly string[], onPicture: OnPicture, style?: string): Promise<void>;
  stop(): Promise<void>;
}

export async function openGallery(): Promise<Gallery> {
  let now = filledAt;
  const clock = { ...systemClock, now: () => now };
  const [browser, world, empty] = [await openBrowser(), await startWorld({}, clock), await startWorld({}, clock)];
  await fill(world);
  await settled(world);
  now = fixedAt;
  await seeAll(world);
  const tokens = new Map<string, string>([["nobody", ""]]);
  for (const role of ["watcher", "viewer"]) tokens.set(role, await tokenFor(world, role));
  return {
    browser,
    async take(look, only, onPicture, style = "") {
      for (const [name, shown] of Object.entries(pages)) {
        if (only.length > 0 && !only.includes(name)) continue;
        if (shown.isState === true && !stateLooks.has(`${look.width} ${look.theme}`)) continue;
        const shownBy = shown.isEmpty === true ? empty : world;
        const token = shown.as === undefined ? shownBy.token : tokens.get(shown.as);
        const context = await signedIn(browser, shownBy, look, token, {
          timezoneId: "UTC",
          locale: "en-GB",
          bypassCSP: style !== "", // The page's policy would refuse a style of somebody else.
        });
        await onPicture(name, await pictureOf(context, shownBy, shown, style));
        await context.close();
      }
    },
    async stop() {
      await browser.close();
      await Promise.all([world.stop(), empty.stop()]);
    },
  };
}

/** Everything that follows from what was reported is decided: no further event. */
async function settled(world: World): Promise<void> {
  const events = async () => (await world.ask<{ items: unknown[] }>("/v1/audit/events?limit=1000")).items.length;
  for (let [before, now] = [0, await events()]; now !== before; [before, now] = [now, await events()])
    await systemClock.sleep(1_500);
}

async function pictureOf(
  context: BrowserContext,
  world: World,
  { path, isCut, before, after }: Shown,
  style: string,
): Promise<Buffer> {
  await context.addInitScript(fixedDate);
  const page = await context.newPage();
  await page.clock.setFixedTime(fixedAt);
  await before?.(page);
  await page.goto(`${world.url}${path}`);
  await page.locator("main").first().waitFor();
  if (before === undefined) {
    await page.locator("h1").first().waitFor();
    await page.locator(".loading").first().waitFor({ state: "detached" });
  }
  await after?.(page);
  if (style !== "") await page.addStyleTag({ content: style });
  return await atRest(page, isCut !== true);
}

/** The bar above the page has what it asks for by itself. */
function modeIsKnown(page: Page): Promise<void> {
  return page.locator(".mode:not(.unknown)").first().waitFor();
}

const looksMax = 20;

/** Two pictures that are the same. */
async function atRest(page: Page, fullPage: boolean): Promise<Buffer> {
  let last = await page.screenshot({ fullPage });
  for (let i = 1; i < looksMax; i++) {
    const next = await page.screenshot({ fullPage });
    if (next.equals(last)) return next;
    last = next;
  }
  throw new Error(`${page.url()} does not come to rest`);
}
