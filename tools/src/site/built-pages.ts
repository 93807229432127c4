/**
 * built-pages: what is wrong with the pages as a browser would get them.
 *
 * Takes   every page by its path in the site: `docs/api.html`.
 * Gives   one line a fault: a link to a page that is not there, or to a place that the page has not; something that is fetched from
 *         another host.
 * Pure
 */
import { posix } from "node:path";

export function faultsOf(pages: ReadonlyMap<string, string>): readonly string[] {
  const placesOf = new Map(
    [...pages].map(([path, html]) => [path, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  return [...pages].flatMap(([path, html]) => [
    ...[...html.matchAll(/<a [^>]*href="([^"]*)"/g)].flatMap(([, href = ""]) => {
      const [file = "", place] = decodeURI(href).split("#");
      if (/^[a-z]+:/.test(file)) return [];
      const target = file === "" ? path : pageAt(file, path);
      const places = placesOf.get(target);
      if (places === undefined) return [`${path}: a link to ${href}; expected a page of the site`];
      return place === undefined || place === "" || places.has(place) ? [] : [`${path}: ${target} has no #${place}`];
    }),
    ...[...html.matchAll(/<(?!a )[a-z]+ [^>]*(?:src|href)="((?:https?:)?\/\/[^"]*)"/g)].map(
      ([, from]) => `${path}: asks ${from}; expected nothing from another host`,
    ),
  ]);
}

/** `/docs/` → `docs/index.html`. */
function pageAt(href: string, from: string): string {
  const path = href.startsWith("/") ? href.slice(1) : posix.join(posix.dirname(from), href);
  return path === "" || path === "./" || path.endsWith("/") ? `${path.replace(/^\.\//, "")}index.html` : path;
}
