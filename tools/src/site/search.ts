/**
 * search: what the site's search knows of a page, and which place it shows first.
 *
 * Takes   a page as it is rendered, before its marks are taken away.
 * Gives   options for vitepress' local search. Its functions run in the reader's browser: each stands alone, and imports nothing.
 * Pure
 */
import type { DefaultTheme } from "vitepress";

/** Words that only marks kept apart: a block's language and its first command, the words of a picture. */
export const apart = (html: string): string =>
  html.replace(/<span class="lang">[^<]*<\/span>/g, " ").replaceAll("</text>", "</text> ");

/** `max_requeue_times` is one word, and three: it is found by itself before whatever has one of them. */
export const wordsOf = (text: string): string[] =>
  text
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((word) => (/[^_]_[^_]/.test(word) ? [word, ...word.split("_")] : [word]))
    .filter((word) => word !== "");

/** What one looks up is behind what tells somebody what to do; a runbook is found by its alert's name all the same. */
export const weightOf = (id: string): number => {
  if (/\/(?:decisions\/|api-reference|benchmarks|simulation|CHANGELOG|ARCHITECTURE)/.test(id)) return 0.4;
  return id.includes("/runbooks/") ? 0.6 : 1;
};

export const search: NonNullable<DefaultTheme.Config["search"]> = {
  provider: "local",
  options: {
    _render: (source, env, md) => apart(md.render(source, env)),
    miniSearch: {
      options: { tokenize: wordsOf },
      searchOptions: { combineWith: "AND", boostDocument: weightOf },
    },
  },
};
