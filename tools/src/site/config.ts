/**
 * config: the documentation site, made of the documents of the repository as they stand there.
 *
 * Takes   README, ARCHITECTURE, CONTRIBUTING, CHANGELOG and docs/. Each page has the path of its file; the README is the first one.
 * Keeps   a link that leads nowhere ends the build. No page asks another host for anything.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { anchorOf } from "../tidy/markdown.ts";
import { contents, type Folder } from "./contents.ts";
import { pictures } from "./pictures.ts";
import { readmeIsFirst } from "./readme-is-first.ts";
import { search } from "./search.ts";

const root = new URL("../../../", import.meta.url);

/** Its pages, newest first of what is numbered or named alike. */
function folder(path: string): Folder {
  const names = readdirSync(new URL(path, root)).filter((name) => name.endsWith(".md"));
  return {
    path,
    pages: names.sort().map((name) => {
      const title = /^# (.*)$/m.exec(readFileSync(new URL(`${path}/${name}`, root), "utf8"))?.[1] ?? name;
      return { link: `/${path}/${name.replace(/\.md$/, "")}`, title };
    }),
  };
}

const { sidebar, nav, listOf } = contents([folder("docs/runbooks"), folder("docs/decisions")]);

export const siteConfig = defineConfig({
  lang: "en",
  title: "Reprise",
  titleTemplate: ":title · Reprise",
  description: "Brings long training jobs on Slurm back",
  srcDir: "..",
  srcExclude: readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && entry.name !== "docs" ? [`${entry.name}/**`] : [],
  ),
  rewrites: { "README.md": "index.md" },
  cacheDir: fileURLToPath(new URL("site/.vitepress/cache", root)),
  head: [["link", { rel: "icon", href: "data:," }]],
  metaChunk: true,
  // The reference and the index of the search are whole.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  markdown: {
    // Links work in the repository, too: an anchor is what is checked there.
    anchor: { slugify: anchorOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-dimmed" },
    languageAlias: { promql: "python" },
    config: (md) => {
      readmeIsFirst(md);
      pictures(md, root);
      listOf(md);
      // Who runs a block is no range of lines to mark.
      md.core.ruler.push("language-alone", ({ tokens }) => {
        for (const token of tokens) if (token.type === "fence") token.info = token.info.split(" ")[0] ?? "";
      });
    },
  },
  themeConfig: {
    nav,
    sidebar,
    outline: { level: [2, 3], label: "On this page" },
    search,
    docFooter: { prev: false, next: false },
    footer: { message: "Apache-2.0", copyright: "Reprise" },
  },
});
