/**
 * chromium: a real browser, as it is installed on this machine, without its own calls to anywhere.
 *
 * Fails   with what to install where there is none.
 */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import type { World } from "./world.ts";

const programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function openBrowser(): Promise<Browser> {
  const executablePath = programs.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error(`no browser in ${programs.join(", ")}; as root: apt-get install chromium`);
  return await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-background-networking", "--disable-gpu"],
  });
}

/** For what the page does within a second on a quiet machine. */
const patienceMs = 20_000;

export interface Look {
  readonly width: number;
  readonly height: number;
  readonly theme: "dark" | "light";
}

/** A window of somebody who is signed in. */
export async function signedIn(
  browser: Browser,
  world: World,
  { width, height, theme }: Look,
  token = world.token,
  more: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    ...more,
  });
  context.setDefaultTimeout(patienceMs);
  await context.addInitScript(`sessionStorage.setItem("reprise.token", ${JSON.stringify(token)})`);
  return context;
}
