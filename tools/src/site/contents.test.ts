import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { contents } from "./contents.ts";

const root = new URL("../../../", import.meta.url);
const { sidebar } = contents([{ path: "docs/runbooks", pages: [{ link: "/docs/runbooks/A", title: "An alert" }] }]);
interface Listed {
  readonly link?: string;
  readonly items?: readonly Listed[];
}
const linksOf = (items: readonly Listed[]): string[] =>
  items.flatMap(({ link, items: below = [] }) => [...(link === undefined ? [] : [link]), ...linksOf(below)]);

test("the contents have every document of docs/, and none that is not there", () => {
  const listed = linksOf(sidebar).filter((link) => link !== "/" && link !== "/docs/runbooks/A");
  expect(listed.filter((link) => !existsSync(new URL(`.${link}.md`, root)))).toEqual([]);
  const documents = readdirSync(new URL("docs", root)).filter((name) => name.endsWith(".md"));
  expect(documents.filter((name) => !listed.includes(`/docs/${name.slice(0, -3)}`))).toEqual([]);
});

test("a folder's pages stand below its own page", () => {
  const runbooks = sidebar.flatMap(({ items }) => items).find(({ link }) => link === "/docs/runbooks");
  expect(runbooks?.items).toEqual([{ text: "An alert", link: "/docs/runbooks/A" }]);
});
