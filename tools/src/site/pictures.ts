/**
 * pictures: an SVG of ours becomes part of its page, so that it has the page's colours, dark or light.
 *
 * Takes   images whose source ends in `.svg`, relative to their document.
 * Gives   the drawing, without its own `<style>` (the theme has the same classes), with the image's text for those who do not see it.
 * Fails   the build, where the file is not there.
 */
import { readFileSync } from "node:fs";
import type { MarkdownRenderer } from "vitepress";

export function pictures(md: MarkdownRenderer, root: URL): void {
  const usual = md.renderer.rules.image;
  md.renderer.rules.image = (tokens, at, options, env: { readonly realPath?: string; relativePath: string }, self) => {
    const token = tokens[at];
    const source = token?.attrGet("src") ?? "";
    if (!source.endsWith(".svg")) return usual?.(tokens, at, options, env, self) ?? "";
    const svg = readFileSync(new URL(source, new URL(env.relativePath, root)), "utf8");
    return drawing(svg, md.utils.escapeHtml(token?.content ?? ""));
  };
}

/** Pure. @param text  What the picture says, escaped. */
export function drawing(svg: string, text: string): string {
  const bare = svg
    .replace(/<\?xml.*?\?>|<!--[^]*?-->|<style>[^]*?<\/style>/g, "")
    .replace(/\n\s*/g, "")
    .replace("<svg ", `<svg role="img" aria-label="${text}" `);
  return `<span class="picture" tabindex="0" v-pre>${bare}</span>`;
}
