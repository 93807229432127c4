/**
 * Goal    whoever is woken can read every page, whatever is or is not there, with whatever he can see and press; and nothing that stands
 *         in a log can do anything but be read.
 * Method  a real Chromium on a real server: once empty, once with one job for every way in which a job may stand, once with 10,000 more.
 *         axe-core judges every page in both themes and at two sizes; a page that writes an error to the console fails.
 */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Look, openBrowser, signedIn } from "./chromium.ts";
import { fill, fillMany } from "./fill.ts";
import { judgedContext, objectionsTo } from "./objections.ts";
import { published, read, report, seeAll, startWorld, tokenFor, type World } from "./world.ts";

const paths = ["/", "/jobs", "/advice", "/nodes", "/workflows", "/audit", "/mode"];
const laptop: Look = { width: 1366, height: 850, theme: "dark" };
const phone: Look = { width: 360, height: 780, theme: "light" };

let browser: Browser;
beforeAll(async () => void (browser = await openBrowser()));
afterAll(() => browser.close());

/** What went wrong in the page's own words: errors of its script, of the policy, and calls to anywhere else. */
let complaints: string[] = [];
let context: BrowserContext;
beforeEach(() => void (complaints = []));
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function open(
  world: World,
  path: string,
  look: Look = laptop,
  more: { readonly token?: string } = {},
): Promise<Page> {
  await seeAll(world);
  context = await signedIn(browser, world, look, more.token);
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => request.url().startsWith(world.url) || complaints.push(`asks ${request.url()}`));
  await go(page, world, path);
  return page;
}

/** What a test brings about by itself. The page is over first: what it asks again and again could fail once more. */
async function expectComplaints(page: Page, what: string): Promise<void> {
  await page.close();
  complaints = complaints.filter((words) => !words.includes(what));
}

async function go(page: Page, world: World, path: string): Promise<void> {
  await page.goto(`${world.url}${path}`);
  await page.locator("main h1, main h2, .sign-in").first().waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached" });
}

/** With the path and the theme. */
async function objections(world: World, path: string, look: Look): Promise<readonly string[]> {
  context = await judgedContext(browser, world, look);
  const page = await context.newPage();
  await go(page, world, path);
  return (await objectionsTo(page)).map((one) => `${path} ${look.theme}: ${one}`);
}

describe("on a server that has seen nothing", () => {
  let world: World;
  beforeAll(async () => void (world = await startWorld()));
  afterAll(() => world.stop());

  test("blindness does not look healthy: nobody has looked at Slurm, and the page says so above everything", async () => {
    context = await signedIn(browser, world, laptop);
    const page = await context.newPage();
    await go(page, world, "/");
    expect(await page.locator(".blind").innerText()).toContain("no SAC has ever reported");
    expect(await page.locator("h1").innerText()).toBe("It cannot be said that all is well: not everything is seen.");
  });

  test("each page says that there is nothing, and nothing is wrong with that", async () => {
    // SAC's lease stands in the audit already.
    for (const path of paths.filter((one) => one !== "/audit" && one !== "/mode")) {
      const page = await open(world, path);
      await page.locator(".empty").first().waitFor();
      expect(await page.locator("main").innerText()).toMatch(/no |nothing/i);
      await context.close();
    }
  });

  test("a job that nobody knows is said to be unknown", async () => {
    context = await signedIn(browser, world, laptop);
    const page = await context.newPage();
    await go(page, world, "/jobs/4711");
    await page.getByText("Not found: job 4711").waitFor();
  });
});

describe("with jobs of every kind", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
    await fill(world);
  });
  afterAll(() => world.stop());

  test.each([...paths, "/jobs/4711", "/jobs/4713", "/jobs/4717", "/workflows/pipeline"])(
    "%s has nothing that axe objects to, dark and light, wide and narrow",
    async (path) => {
      await seeAll(world);
      const wide = await objections(world, path, laptop);
      await context.close();
      expect([...wide, ...(await objections(world, path, phone))]).toEqual([]);
    },
  );

  test.each([...paths, "/jobs/4711", "/jobs/4717", "/workflows/pipeline"])(
    "%s needs no sideways scrolling on a telephone",
    async (path) => {
      const page = await open(world, path, phone);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    },
  );

  test("the first page says what needs a person, what is being recovered, and what can be done", async () => {
    const page = await open(world, "/");
    expect(await page.locator("h1").innerText()).toBe("1 job needs a person.");
    const [stopped, recovering] = [
      page.locator("section", { hasText: "Needs a person" }),
      page.locator("section", { hasText: "Being recovered" }),
    ];
    expect(await stopped.innerText()).toMatch(/4713[^]*CUDA out of memory[^]*Stopped by max_requeue_times/);
    expect(await recovering.innerText()).toMatch(/4714[^]*restart without n2[^]*being carried out/);
    expect(await page.locator(".facts").innerText()).toMatch(
      /recoveries\n4\n1 resumed[^]*to recover, median\n52 s\np95 52 s, of 1\nsaved\n1 h/,
    );
    expect(await page.locator(".card", { hasText: "4713" }).innerText()).toMatch(/\b2[5-9] min/); // As long as the test took, and 25.
    expect(await page.locator(".mode").innerText()).toContain("ACTS");
    expect(await page.locator(".blind").count()).toBe(0);
  });

  test("a job's page tells the six things in their order, and the story with the seconds between", async () => {
    const page = await open(world, "/jobs/4711");
    expect(await page.locator(".answers dt").allInnerTexts()).toEqual([
      "What failed",
      "Why we think so",
      "What was decided",
      "Whether it happened",
      "What is open",
      "What you may do",
    ]);
    expect(await page.locator(".line.root").innerText()).toContain("uncorrectable ECC error");
    expect(await page.locator(".stages").innerText()).toMatch(
      /scheduler recovered [^]*training resumed .*from step 12400, 47 steps lost[^]*training completed not seen/,
    );
    const story = await page.locator(".time-line").innerText();
    expect(story).toMatch(
      /root line[^]*requeued, and held[^]*constrained[^]*released[^]*attempt 1 starts[^]*training resumed from step 12400/,
    );
    expect(story).toContain("+0.7 s");
    expect(await page.locator(".rules .answered").first().innerText()).toContain("cause");
    const details = page.locator(".details");
    expect(await details.innerText()).toMatch(
      /max_requeue_times\t0 → 1\t5[^]*n2\tyes\tcuda-ecc-uncorrectable\t60 %\tin /,
    );
    await page.getByText("Audit events").click();
    await details.getByText("advice.recorded").first().waitFor();
  });

  test("what is only silent so far stands in the story, and one that waits has not started", async () => {
    const page = await open(world, "/jobs/4718");
    expect(await page.locator(".time-line").innerText()).toContain("root line: no-further-step");
    await go(page, world, "/jobs/4714");
    expect(await page.locator(".time-line").innerText()).not.toContain("attempt 1 starts");
  });

  test("an audit event can be opened where it stands, and a node says whom it has hurt", async () => {
    const page = await open(world, "/audit?type=advice.recorded");
    await page.locator(".rows-scroll summary").first().press("Enter");
    expect(await page.locator(".rows-scroll details[open] > .line").innerText()).toMatch(/^\{\n "/);
    await go(page, world, "/nodes");
    expect(await page.locator(".card", { hasText: "n2" }).innerText()).toMatch(
      /Evidence[^]*4714[^]*4711[^]*Kept away from by[^]*expires in/,
    );
  });

  test("a hostile line is read, and does nothing", async () => {
    const page = await open(world, "/jobs/4717");
    expect(await page.locator(".line.root").innerText()).toContain("<script>document.title='owned'</script>");
    expect(await page.locator(".line.root").innerText()).toContain("␛[31m");
    expect(await page.locator("main").innerText()).not.toMatch(/[\u001b\u202e]/);
    expect(await page.locator("main script, main img").count()).toBe(0);
    expect(await page.title()).toBe("Reprise");
    await go(page, world, "/jobs?search=%3Cb");
    expect(await page.locator("main b b").count()).toBe(0);
  });

  test("what a list shows stands in its address", async () => {
    const page = await open(world, "/jobs?standing=stopped");
    expect(await page.locator(".rows-scroll [role=row]").count()).toBe(1);
    await page.getByText("recovering", { exact: true }).first().click();
    await page.waitForURL("**/jobs?standing=recovering");
    await page.locator(".rows-scroll [role=row]", { hasText: "4714" }).waitFor();
    await page.getByLabel("ID or name begins with").fill("llm-70b");
    await page.waitForURL("**search=llm-70b**");
    await page.locator(".rows-scroll [role=row]", { hasText: "4717" }).waitFor({ state: "detached" });
    expect(await page.locator(".rows-scroll [role=row]").count()).toBe(1);
  });

  test("everything can be reached by keys alone", async () => {
    const page = await open(world, "/");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the page");
    await page.keyboard.press("Enter");
    for (let i = 0; i < 3; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/jobs/**");
  });

  test("the graph of a workflow shows what waits for what, and each gate says why it is closed", async () => {
    const page = await open(world, "/workflows/pipeline");
    expect(await page.locator(".graph-job").count()).toBe(4);
    await page.getByText("closed: job 4721 (pretrain) is running").first().waitFor();
  });

  test("what changes is seen without asking again", async () => {
    const page = await open(world, "/jobs?search=49");
    await page.getByText("No job is like that").waitFor();
    await report(world, [published({ jobId: "4901", state: "RUNNING", nodes: ["n9"], startTime: Date.now() })]);
    await page.locator(".rows-scroll [role=row]", { hasText: "4901" }).waitFor();
  });

  test("a stream that breaks is taken up where it was; one that shows no life is broken", async () => {
    const page = await open(world, "/jobs?search=49");
    await page.locator(".rows-scroll [role=row]", { hasText: "4901" }).waitFor();
    await page.clock.install();
    await page.goto(`${world.url}/jobs?search=49`);
    const taken = page.waitForRequest((request) => request.headers()["last-event-id"] !== undefined);
    await page.locator(".rows-scroll [role=row]", { hasText: "4901" }).waitFor();
    await expect
      .poll(async () => {
        await page.clock.fastForward(26_000); // In which, by the page's clock, the server says nothing.
        return await Promise.race([taken, page.waitForTimeout(500)]);
      })
      .toBeDefined();
    const answer = await (await taken).response();
    expect(answer?.status()).toBe(200);
  });

  test("an answer that is old is called old also where the server answers everything else", async () => {
    const page = await open(world, "/jobs/4711");
    await page.clock.install();
    await page.goto(`${world.url}/jobs/4711`); // With every timer by that clock.
    await page.locator(".answers").waitFor();
    await page.route("**/explain", (route) =>
      route.fulfill({ status: 503, json: { code: 14, message: "the database is away" } }),
    );
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(16_000);
          return (await page.locator(".stale").allInnerTexts()).join();
        },
        { timeout: 20_000 },
      )
      .toMatch(/Old\.[^]*the database is away/);
    await expectComplaints(page, "503");
  });

  test("what is old is called old when the server does not answer", async () => {
    const page = await open(world, "/");
    await page.clock.install();
    await context.setOffline(true);
    await page.clock.fastForward(60_000);
    expect(await page.locator(".stale").innerText()).toContain("Old.");
    await expectComplaints(page, "ERR_INTERNET_DISCONNECTED");
  });

  describe("who may what", () => {
    test("without a token there is only the sign-in; a wrong one is refused in the server's words; the right one leads to the same address", async () => {
      const page = await open(world, "/jobs/4713", laptop, { token: "wrong" });
      await page.getByLabel("Token").fill("still-wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      expect(await page.locator(".failure").innerText()).toBe("the bearer token is not valid");
      await page.getByLabel("Token").fill(world.token);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: /Job 4713/ }).waitFor();
      await expectComplaints(page, "401");
    });

    test("an address that brings a token signs in where nobody is, and does not keep it", async () => {
      context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${world.url}/jobs/4713#token=${world.token}`);
      await page.getByRole("heading", { name: /Job 4713/ }).waitFor();
      expect(page.url()).toBe(`${world.url}/jobs/4713`);
      await page.goto(`${world.url}/jobs#token=${await tokenFor(world, "viewer")}`);
      await page.reload();
      await page.getByLabel("Signed in as owner").waitFor();
    });

    test("a viewer sees no orders, and why", async () => {
      const page = await open(world, "/jobs/4713", laptop, { token: await tokenFor(world, "viewer") });
      await page.getByText("Orders need the role operator; you have viewer.").waitFor();
      expect(await page.locator(".orders button").count()).toBe(0);
    });

    test("who may not read is told so on the page, and not shown nothing", async () => {
      const page = await open(world, "/advice", laptop, { token: await tokenFor(world, "watcher") });
      await page.getByText("You may not see Advice").waitFor();
      await expectComplaints(page, "403");
    });

    test("an operator sees what an order would do before he gives it, with a reason; then it stands in the story", async () => {
      const page = await open(world, "/jobs/4714", laptop, { token: await tokenFor(world, "operator") });
      await page.getByRole("button", { name: "Forbid restarts…" }).click();
      await page.getByText("Recovery restarts job 4714 no more.").waitFor();
      expect(await page.getByRole("button", { name: "Forbid restarts", exact: true }).isDisabled()).toBe(true);
      await page.getByLabel(/Why/).fill("wrong data set");
      await page.getByRole("button", { name: "Forbid restarts", exact: true }).click();
      await page.getByText("Ordered.").waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByText("operator-1 orders never: wrong data set").waitFor();
    });

    test("an operator stops recovery, lets it act elsewhere, and goes on: each foreseen, with a reason, and in the list of orders", async () => {
      const page = await open(world, "/", laptop, { token: await tokenFor(world, "operator") });
      const order = async (button: string, foreseen: RegExp, strong: string, reason: string) => {
        await page.getByRole("button", { name: button }).click();
        expect(await page.locator(".preview.effect").innerText()).toMatch(foreseen);
        await page.getByLabel(/Why/).fill(reason);
        await page.getByRole("button", { name: strong, exact: true }).click();
        await page.getByText("Ordered.").waitFor();
        await page.getByRole("button", { name: "Close" }).click();
        await page.locator(".ordered", { hasText: reason }).waitFor();
      };
      await page.locator("a.mode").click();
      await page.getByRole("heading", { name: "Recovery acts in gpu." }).waitFor();
      await page.locator(".answers", { hasText: "act in gpu, long, by the configuration" }).waitFor();
      await order("Stop…", /SAC begins nothing new/, "Stop", "forty jobs at once");
      await page.getByRole("heading", { name: "Recovery acts in gpu, and is stopped." }).waitFor();
      await page.locator(".answers", { hasText: "SAC has NOT taken the newest order yet." }).waitFor();
      await page.getByLabel("long").check();
      await order(
        "Act there…",
        /SAC acts in gpu, long[^]*still stopped by operator-1[^]*Open there now: [^]*4717/,
        "Act in gpu, long",
        "the canary has passed",
      );
      await order("Go on…", /SAC goes on/, "Go on", "it was a switch");
      await order("Observe…", /SAC begins nothing new[^]*Advice is still given/, "Observe", "back to where we were");
      const { items } = await world.ask<{ readonly items: readonly { readonly payload: object }[] }>(
        "/v1/audit/events?eventType=mode.ordered&limit=2",
      );
      expect(items.map(({ payload }) => payload)).toMatchObject([
        { mode: "observe", by: "operator-1", reason: "back to where we were" },
        { mode: "act", partitions: ["gpu", "long"], by: "operator-1", reason: "the canary has passed" },
      ]);
    });

    test("a viewer sees the mode and no control over it, and the API refuses him, too", async () => {
      const page = await open(world, "/mode", laptop, { token: await tokenFor(world, "viewer") });
      await page.getByText("Orders need the role operator; you have viewer.").waitFor();
      expect(await page.locator("main button").count()).toBe(0);
      const order = (path: string, body: object) =>
        page.evaluate(
          `fetch(${JSON.stringify(path)}, { method: "POST", body: ${JSON.stringify(JSON.stringify(body))}, headers: { authorization: "Bearer " + sessionStorage.getItem("reprise.token") } }).then((answer) => answer.status)`,
        );
      for (const preview of [true, false]) {
        expect(await order("/reprise/v1/mode", { mode: "observe", reason: "x", preview })).toBe(403);
        expect(await order("/reprise/v1/brake", { action: "stop", reason: "x", preview })).toBe(403);
      }
      await expectComplaints(page, "403");
    });

    test("what would be refused is said before", async () => {
      const page = await open(world, "/jobs/4715");
      await page.getByRole("button", { name: "Restart now…" }).click();
      await page.getByText("is COMPLETED, and such a job is never restarted").waitFor();
      await expectComplaints(page, "400");
    });

    test("an operator withdraws Advice: what follows is said before, and it is recorded with his reason", async () => {
      const page = await open(world, "/jobs/4717", laptop, { token: await tokenFor(world, "operator") });
      await page.getByRole("button", { name: "Withdraw the Advice…" }).click();
      await page.locator("dialog .preview.effect").waitFor();
      await page.getByLabel(/Why/).fill("not this one");
      await page.getByRole("button", { name: "Withdraw the Advice", exact: true }).click();
      await page.getByText("Ordered.").waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByText("operator-1 orders withdraw: not this one").waitFor();
      const { items } = await world.ask<{ readonly items: readonly { readonly payload: object }[] }>(
        "/v1/audit/events?jobId=4717&eventType=override.set&limit=1",
      );
      expect(items).toMatchObject([{ payload: { action: "withdraw", by: "operator-1", reason: "not this one" } }]);
    });
  });

  test("that somebody has stopped recovery stands above every page, with his reason", async () => {
    await world.ask("/reprise/v1/brake", { action: "stop", reason: "the fabric is being repaired" });
    const page = await open(world, "/jobs");
    await page.getByText("the fabric is being repaired").waitFor();
    await world.ask("/reprise/v1/brake", { action: "go", reason: "repaired" });
    await page.getByText("the fabric is being repaired").waitFor({ state: "detached" });
  });

  test("a line of nearly a mebibyte is cut where it is read, and said to be", async () => {
    await report(world, [published({ jobId: "4902", state: "RUNNING", nodes: ["n1"], startTime: Date.now() - 9_000 })]);
    const long = {
      jobId: "4902",
      kind: "crash",
      at: Date.now() - 5_000,
      line: "x".repeat(900_000),
      cause: "python-exception",
    };
    await read(world, [{ ...long, causeClass: "workload-deterministic", root: true }]);
    const page = await open(world, "/jobs/4902");
    expect(await page.locator(".line.root").innerText()).toMatch(/^x+… \(\d+ characters\)$/);
    expect((await page.locator("main").innerText()).length).toBeLessThan(40_000);
  });

  describe("and 10,000 more", () => {
    beforeAll(() => fillMany(world, 10_000));

    test.each(paths)("%s stays small, and nothing of it is wrong", async (path) => {
      const page = await open(world, path);
      await page.locator("h1").waitFor();
      expect(await page.locator("*").count()).toBeLessThan(2_500);
    });

    test("a list keeps only what is in sight, and brings more when its end is near", async () => {
      const page = await open(world, "/jobs");
      const rows = page.locator(".rows-scroll [role=row]");
      expect(await rows.count()).toBeLessThan(60);
      const lastShown = () => rows.last().getAttribute("aria-rowindex").then(Number);
      await page.locator(".rows-scroll").focus();
      for (let before = await lastShown(); before < 600; before = await lastShown()) {
        await page.keyboard.press("End");
        await expect.poll(lastShown, { timeout: 20_000 }).toBeGreaterThan(before);
        expect(await rows.count()).toBeLessThan(80);
      }
      await page.getByText("So long a list is not kept up to date by itself").waitFor();
    });
  });
});
