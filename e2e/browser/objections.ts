/** objections: what axe-core says against a page as its reader sees it. */
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type Look, signedIn } from "./chromium.ts";
import type { World } from "./world.ts";

/** Where a page can be judged: its own policy would refuse the judge, and is off for this look. */
export const judgedContext = (browser: Browser, world: World, look: Look): Promise<BrowserContext> =>
  signedIn(browser, world, look, world.token, { bypassCSP: true });

/** Rule and place of each. */
export async function objectionsTo(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run()");
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
}
