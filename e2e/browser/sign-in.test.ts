/**
 * Goal    a person signs in with the site's identity provider and is where he wanted to be, under the same strict policy; nothing of it stays
 *         in the address, and no secret in the browser.
 * Method  a real Chromium, a real server, a strict provider on loopback.
 */
import type { Browser, Page } from "playwright-core";
import { oidcOf, type Provider, startProvider } from "@reprise/server/gateway/testing/provider.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "./chromium.ts";
import { startWorld, type World } from "./world.ts";

let provider: Provider;
let world: World;
let browser: Browser;
beforeAll(async () => {
  provider = await startProvider();
  [world, browser] = await Promise.all([startWorld({ oidc: oidcOf(provider) }), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await world.stop();
  await provider.stop();
});

async function open(path: string): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  // Of the policy, above all. That nobody is signed in yet is a 401, which Chromium writes down as an error.
  page.on("console", (line) => line.type() === "error" && !line.text().includes("401") && complaints.push(line.text()));
  page.on("request", (request) => {
    const isElsewhere = !request.url().startsWith(world.url);
    if (isElsewhere && !request.isNavigationRequest()) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(`${world.url}${path}`);
  return { page, complaints };
}
const signIn = (page: Page) => page.getByRole("button", { name: `Sign in at ${new URL(provider.url).host}` });

test("who signs in at the provider is where he wanted to be, by his name and with his role", async () => {
  provider.grant("operator");
  const { page, complaints } = await open("/jobs?standing=stopped");
  await signIn(page).click();
  await page.getByLabel("Signed in as ada").waitFor();
  expect(page.url()).toBe(`${world.url}/jobs?standing=stopped`);
  await page.locator("a.mode").click();
  await page.getByText("To act cannot be ordered").waitFor();
  const stored = "[Object.keys(sessionStorage), Object.keys(localStorage), document.cookie]";
  const [tab, ...rest] = await page.evaluate<readonly [readonly string[], readonly string[], string]>(stored);
  expect(tab.filter((name) => !name.startsWith("tsr-scroll"))).toEqual(["reprise.token"]); // Beside where its user had scrolled to.
  expect(rest).toEqual([[], ""]);
  await page.reload();
  await page.getByLabel("Signed in as ada").waitFor();
  expect(complaints).toEqual([]);
});

test("who is refused by the provider is told so, and may try again", async () => {
  const { page, complaints } = await open("/nodes");
  provider.deny("access_denied");
  await signIn(page).click();
  await page.getByText("the identity provider says: access_denied").waitFor();
  await signIn(page).click();
  await page.getByLabel("Signed in as ada").waitFor();
  expect(page.url()).toBe(`${world.url}/nodes`);
  expect(complaints).toEqual([]);
});

test("an answer that this tab has not asked for is not redeemed", async () => {
  const { page } = await open("/signed-in?code=of-somebody-else&state=x");
  await page.getByText("this tab has begun no sign-in; begin again").waitFor();
  expect(page.url()).toBe(`${world.url}/`);
});
