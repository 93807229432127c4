/** built-page: before the tests in a browser: the page as its sources are now. */
import { buildPage } from "@reprise/cli/up/build-page.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";

export default async function setup(): Promise<void> {
  const { log, lines } = fakeLife();
  await buildPage(log);
  const failed = lines.find(({ level }) => level === "warn");
  if (failed !== undefined) throw new Error(failed.message, { cause: failed.fields });
}
