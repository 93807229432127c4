/**
 * Goal    how an attempt went is seen, by whoever sees and whoever does not; and the root line stands in its log, where nothing can do
 *         anything but be read.
 * Method  a real Chromium on a real server, with courses that a watcher could have told; axe-core judges in both themes and at two sizes.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Look, openBrowser, signedIn } from "./chromium.ts";
import { fill } from "./fill.ts";
import { judgedContext, objectionsTo } from "./objections.ts";
import { startWorld, type World } from "./world.ts";

const laptop: Look = { width: 1366, height: 850, theme: "dark" };
const phone: Look = { width: 360, height: 780, theme: "light" };

let browser: Browser;
let world: World;
beforeAll(async () => {
  [browser, world] = [await openBrowser(), await startWorld()];
  await fill(world);
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});

async function see<T>(path: string, look: Look, body: (page: Page) => Promise<T>): Promise<T> {
  const context = await signedIn(browser, world, look);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.goto(`${world.url}${path}`);
  await page.locator("main h1").waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached" });
  const seen = await body(page);
  await context.close();
  expect(complaints).toEqual([]);
  return seen;
}

test.each([
  ["wide and dark", laptop],
  ["narrow and light", phone],
])(
  "a curve, %s: steps, time of a step with its baseline, checkpoints, when it was slow and silent",
  async (_, look) => {
    await see("/jobs/4718", look, async (page) => {
      const drawing = page.locator(".course svg");
      expect(await drawing.locator(".curve").count()).toBe(2);
      expect(await drawing.locator(".baseline").count()).toBe(1);
      expect(await drawing.locator(".checkpoint").count()).toBe(5);
      expect(await drawing.locator(".window").count()).toBe(2);
      // What is drawn lies in the drawing, and the silence, which lasts, reaches its edge.
      const box = (await drawing.boundingBox()) ?? { x: 0, width: 0 };
      const silence = (await drawing.locator(".window.hang .plain").boundingBox()) ?? { x: 0, width: 0 };
      expect(silence.width).toBeGreaterThan(20);
      expect(silence.x + silence.width).toBeLessThanOrEqual(box.x + box.width);
      expect(await drawing.getAttribute("aria-label")).toMatch(
        /^Step 1 at .* to step 12000 at .*; 5 checkpoints, the last at step 9000; slow from .* on; silent from .* on\.$/,
      );
      expect(await page.locator(".legend").innerText()).toMatch(
        /checkpoint[^]*usual time of a step: 1.1 s[^]*slow[^]*silent/,
      );
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    });
  },
);

test("the same stands in a table, and a point that is pointed at in words", async () => {
  await see("/jobs/4718", laptop, async (page) => {
    await page.locator(".course summary").click();
    expect(await page.locator(".course table tbody tr").count()).toBe(24);
    expect(await page.locator(".course details").innerText()).toMatch(
      /silent for 30 min, the limit in the training loop/,
    );
    expect(await page.locator(".read-out").innerText()).toContain("step 12000");
    await page.locator(".course svg").hover({ position: { x: 60, y: 100 } });
    expect(await page.locator(".read-out").innerText()).toMatch(/step \d{1,2}\b/);
  });
});

test("the root line stands in its log: what is around it open, the rest and what followed folded", async () => {
  await see("/jobs/4711", laptop, async (page) => {
    const log = page.locator(".log");
    expect(await log.locator("> .line").allInnerTexts()).toEqual([
      "step 12446 loss 2.16\nstep 12447 loss 2.17",
      expect.stringContaining("uncorrectable ECC error encountered"),
      expect.stringMatching(/^\[rank2\]: Traceback[^]*opcode 0$/),
    ]);
    expect(await log.locator("summary").allInnerTexts()).toEqual(["3 earlier lines", "5 later lines"]);
    expect(await page.locator(".answers").innerText()).toContain("and with it: 6 lines of 1 kind");
  });
});

test("hostile lines around the root are read, and do nothing", async () => {
  await see("/jobs/4717", phone, async (page) => {
    expect(await page.locator(".log").innerText()).toContain("</code></script><b>out</b>");
    expect(await page.locator("main script, main img, .log b").count()).toBe(0);
    expect(await page.locator("main").innerText()).not.toMatch(/[\u001b\u202e]/);
    expect(await page.title()).toBe("Reprise");
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });
});

test("a job without a step says that there is no curve, and why", async () => {
  await see("/jobs/4716", laptop, async (page) => {
    expect(await page.locator("section", { hasText: "How the training" }).innerText()).toContain("No curve");
  });
});

test.each([laptop, phone])("axe objects to nothing", async (look) => {
  const context = await judgedContext(browser, world, look);
  const page = await context.newPage();
  await page.goto(`${world.url}/jobs/4718`);
  await page.locator(".course svg").waitFor();
  await page.locator(".course summary").click();
  expect(await objectionsTo(page)).toEqual([]);
  await context.close();
});
