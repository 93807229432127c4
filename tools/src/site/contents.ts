/**
 * contents: in which order the site shows what.
 *
 * Takes   the folders whose every file is a page.
 * Gives   the bar above, the list beside, and the page of each folder: where `<!-- every page of docs/x -->` stands, they are listed.
 * Pure
 */
import type { DefaultTheme, MarkdownRenderer } from "vitepress";

export interface Folder {
  /** E.g. `docs/runbooks`. */
  readonly path: string;
  readonly pages: readonly { readonly link: string; readonly title: string }[];
}

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link });

/** The documents by their readers. A document that is in no folder and not here is found by links alone. */
const chapters: readonly DefaultTheme.SidebarItem[] = [
  {
    text: "Use it",
    items: [page("What it is", "/"), page("For job authors", "/docs/job-authors"), page("Figures", "/docs/figures")],
  },
  {
    text: "Run it",
    items: [
      page("For operators", "/docs/operators"),
      page("Install", "/docs/install"),
      page("Rollout", "/docs/rollout"),
      page("On call", "/docs/on-call"),
      page("Runbooks", "/docs/runbooks"),
      page("Settings", "/docs/settings"),
      page("Who may call", "/docs/access"),
      page("Data", "/docs/data"),
      page("Monitoring", "/docs/monitoring"),
      page("Notifications", "/docs/notifications"),
    ],
  },
  {
    text: "Build on it",
    items: [
      page("The API", "/docs/api"),
      page("API reference", "/docs/api-reference"),
      page("Audit events", "/docs/audit-events"),
    ],
  },
  {
    text: "Understand it",
    items: [
      page("The model", "/docs/model"),
      page("How it is proven", "/docs/proof"),
      page("The simulation", "/docs/simulation"),
      page("Benchmarks", "/docs/benchmarks"),
      page("Architecture", "/ARCHITECTURE"),
      page("Decisions", "/docs/decisions"),
    ],
  },
  { text: "Change it", items: [page("Contributing", "/CONTRIBUTING"), page("Changelog", "/CHANGELOG")] },
];

const nav: DefaultTheme.NavItem[] = [
  { text: "Job authors", link: "/docs/job-authors" },
  { text: "Operators", link: "/docs/operators" },
  { text: "On call", link: "/docs/on-call" },
  { text: "API", link: "/docs/api" },
  { text: "Model", link: "/docs/model" },
  { text: "Proof", link: "/docs/proof" },
];

export function contents(folders: readonly Folder[]) {
  const listed = folders.map(({ path, pages }) => ({
    mark: `<!-- every page of ${path} -->`,
    items: pages.map(({ title, link }) => page(title, link)),
    link: `/${path}`,
  }));
  const withPages = (item: DefaultTheme.SidebarItem): DefaultTheme.SidebarItem => {
    const items = listed.find(({ link }) => link === item.link)?.items;
    return items === undefined ? item : { ...item, items, collapsed: true };
  };
  return {
    nav,
    sidebar: chapters.map((chapter) => ({ ...chapter, items: (chapter.items ?? []).map(withPages) })),
    listOf: (md: MarkdownRenderer): void => {
      md.core.ruler.before("block", "every-page", (state) => {
        for (const { mark, items } of listed)
          state.src = state.src.replace(mark, items.map(({ text, link }) => `- [${text}](${link}.md)`).join("\n"));
      });
    },
  };
}
