/** kept: the pictures that somebody has looked at, and found right: `pictures/`, one file a page, size and theme. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Eye, placeSide, placesThatDiffer } from "./likeness.ts";

const folder = fileURLToPath(new URL("pictures/", import.meta.url));
const fontsFile = `${folder}fonts.txt`;
const fileOf = (name: string) => `${folder}${name}.webp`;

/** How much of a picture is kept: the wall's letters are large. */
const scaleOf = (name: string) => (name.includes("-wall-") ? 0.25 : 0.5);

export async function keep(eye: Eye, name: string, png: Buffer): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(name), await eye.keepable(png, scaleOf(name)));
  writeFileSync(fontsFile, `${await eye.fonts()}\n`);
}

/** What is otherwise than in the kept picture, in words; nothing: they are alike. */
export async function objectionTo(eye: Eye, name: string, png: Buffer): Promise<string | undefined> {
  const [kept, seen] = await Promise.all([
    eye.points(readFileSync(fileOf(name))),
    eye.keepable(png, scaleOf(name)).then((webp) => eye.points(webp)),
  ]);
  const places = placesThatDiffer(kept, seen);
  if (places === undefined)
    return `${name}: ${seen.width} × ${seen.height} points, kept are ${kept.width} × ${kept.height}`;
  if (places.length === 0) return undefined;
  const scale = scaleOf(name);
  const shown = places.slice(0, 4).map(({ x, y }) => `${x / scale}, ${y / scale}`);
  return `${name}: ${places.length} places of ${placeSide / scale} px differ, at ${shown.join("; ")}${places.length > 4 ? "; …" : ""}`;
}

/** Undefined: the machine has the fonts with which the kept ones were drawn. */
export async function otherFonts(eye: Eye): Promise<string | undefined> {
  const [kept, here] = [readFileSync(fontsFile, "utf8").trim(), await eye.fonts()];
  return kept === here
    ? undefined
    : `this browser has other fonts than the kept pictures were drawn with (${here}; kept: ${kept}): no picture can be compared. On Debian: apt-get install fonts-dejavu-core`;
}
