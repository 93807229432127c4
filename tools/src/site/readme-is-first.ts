/** readme-is-first: the README is the site's first page; links to it lead there. */
import type { MarkdownRenderer } from "vitepress";

const isReadme = /^((?:\.\.?\/)*)README\.md(?=#|$)/;

export function readmeIsFirst(md: MarkdownRenderer): void {
  md.core.ruler.push("readme-is-first", ({ tokens }) => {
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const href = token.type === "link_open" ? token.attrGet("href") : null;
        if (href !== null) token.attrSet("href", href.replace(isReadme, "$1index.md"));
      }
  });
}
