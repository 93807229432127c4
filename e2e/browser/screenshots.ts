/** screenshots: `make screenshots`: every page at three sizes in both themes, into a folder, to be looked at. `node e2e/browser/screenshots.ts [folder] [page …]`. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser, signedIn } from "./chromium.ts";
import { fill } from "./fill.ts";
import { seeAll, startWorld } from "./world.ts";

const [folder = "e2e/.tmp/screenshots", ...only] = process.argv.slice(2);
const pages: Readonly<Record<string, string>> = {
  now: "/",
  jobs: "/jobs",
  job: "/jobs/4711",
  stopped: "/jobs/4713",
  hostile: "/jobs/4717",
  silent: "/jobs/4718",
  advice: "/advice",
  audit: "/audit",
  nodes: "/nodes",
  workflows: "/workflows",
  workflow: "/workflows/pipeline",
  mode: "/mode",
};
const sizes = { phone: [360, 780], laptop: [1366, 850], wall: [3840, 2160] } as const;

mkdirSync(folder, { recursive: true });
const world = await startWorld();
const browser = await openBrowser();
try {
  await fill(world);
  for (const theme of ["dark", "light"] as const)
    for (const [size, [width, height]] of Object.entries(sizes)) {
      const context = await signedIn(browser, world, { width, height, theme });
      const page = await context.newPage();
      page.on("console", (message) => message.type() === "error" && console.error(`${page.url()}: ${message.text()}`));
      for (const [name, path] of Object.entries(pages)) {
        if (only.length > 0 && !only.includes(`${name}-${size}-${theme}`) && !only.includes(name)) continue;
        await seeAll(world);
        await page.goto(`${world.url}${path}`);
        await page.locator("h1").first().waitFor();
        await page.locator(".loading").first().waitFor({ state: "detached" });
        await page.screenshot({
          path: join(folder, `${name}-${size}-${theme}.png`),
          fullPage: !["jobs", "advice", "audit", "workflows"].includes(name),
        });
      }
      await context.close();
    }
} finally {
  await browser.close();
  await world.stop();
}
