import { expect, test } from "vitest";
import { faultsOf } from "./built-pages.ts";

const judge = (pages: Readonly<Record<string, string>>) => faultsOf(new Map(Object.entries(pages)));

test("a link to a page and to a place that are there is none", () => {
  const api = '<h2 id="jobs">Jobs</h2><a href="#jobs">up</a><a href="../index.html">first</a><a href="/">first</a>';
  expect(
    judge({ "index.html": '<a href="./docs/api.html#jobs">x</a><a href="./">x</a>', "docs/api.html": api }),
  ).toEqual([]);
});

test("a page that is not there, and a place that a page has not, are told with where they are named", () => {
  expect(judge({ "index.html": '<a class="x" href="/docs/gone.html">x</a><a href="#nowhere">x</a>' })).toEqual([
    "index.html: a link to /docs/gone.html; expected a page of the site",
    "index.html: index.html has no #nowhere",
  ]);
});

test("what is fetched from another host is a fault, a link that leads there is none", () => {
  const html =
    '<a href="https://slurm.schedmd.com/">x</a><link rel="x" href="https://fonts.example.org/a.css"><img src="//example.org/a.png">';
  expect(judge({ "index.html": html })).toEqual([
    "index.html: asks https://fonts.example.org/a.css; expected nothing from another host",
    "index.html: asks //example.org/a.png; expected nothing from another host",
  ]);
});
