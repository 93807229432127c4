/**
 * likeness: how two pictures of a page differ.
 *
 * Takes   PNG as it was taken. What is kept is WebP with a quarter of its points or fewer: some kilobytes, in which the edge of a letter
 *         weighs little. The browser that drew them reads and writes both.
 * Gives   the places that differ. None: they are alike. Pure but for `openEye`.
 * Bound   a place (`placeSide` points wide and high) differs if more than `share` of its points are more than `apart` from each other in
 *         red, green or blue (0 to 255). What the same browser draws with the same fonts is the same to the point; the bounds are for
 *         another release of it. Other fonts are another page, and are told as that.
 */
import type { Browser } from "playwright-core";

export interface Points {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, opacity of each point, row by row. */
  readonly rgba: Uint8Array;
}

/** In points of the picture that is kept. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Likeness {
  readonly apart: number;
  readonly share: number;
}

export const usual: Likeness = { apart: 28, share: 0.1 };
export const placeSide = 16;

/** @returns Undefined where the pictures have not the same size. */
export function placesThatDiffer(a: Points, b: Points, { apart, share } = usual): readonly Place[] | undefined {
  if (a.width !== b.width || a.height !== b.height) return undefined;
  const counts = new Map<number, number>();
  const perRow = Math.ceil(a.width / placeSide);
  for (let i = 0; i < a.width * a.height; i++) {
    if (!isApart(a.rgba, b.rgba, 4 * i, apart)) continue;
    const [x, y] = [i % a.width, Math.floor(i / a.width)];
    const place = Math.floor(y / placeSide) * perRow + Math.floor(x / placeSide);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > share * placeSide ** 2)
    .map(([place]) => ({ x: (place % perRow) * placeSide, y: Math.floor(place / perRow) * placeSide }));
}

function isApart(a: Uint8Array, b: Uint8Array, at: number, apart: number): boolean {
  for (let i = at; i < at + 3; i++) if (Math.abs((a[i] ?? 0) - (b[i] ?? 0)) > apart) return true;
  return false;
}

export interface Eye {
  /** @param scale Below 1: the picture becomes smaller. @returns WebP. */
  keepable(png: Buffer, scale: number): Promise<Buffer>;
  points(webp: Buffer): Promise<Points>;
  /** How wide words are in the fonts of the page: another machine may have others. */
  fonts(): Promise<string>;
}

/** In the browser: a picture of any form on a canvas. */
const drawn = `async function drawn(type, base64, scale) {
  const blob = await (await fetch("data:" + type + ";base64," + base64)).blob();
  const image = await createImageBitmap(blob);
  const canvas = new OffscreenCanvas(Math.round(image.width * scale), Math.round(image.height * scale));
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  brush.imageSmoothingQuality = "high";
  brush.drawImage(image, 0, 0, canvas.width, canvas.height);
  return { canvas, brush };
}
async function asBase64(blob) {
  const reader = new FileReader();
  return await new Promise((resolve) => {
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.readAsDataURL(blob);
  });
}`;
const keep = `async ({ base64, scale }) => {
  ${drawn}
  const { canvas } = await drawn("image/png", base64, scale);
  return await asBase64(await canvas.convertToBlob({ type: "image/webp", quality: 0.5 }));
}`;
const read = `async ({ base64 }) => {
  ${drawn}
  const { canvas: { width, height }, brush } = await drawn("image/webp", base64, 1);
  const { data } = brush.getImageData(0, 0, width, height);
  return { width, height, base64: await asBase64(new Blob([data])) };
}`;
const widths = `(() => {
  const brush = new OffscreenCanvas(1, 1).getContext("2d");
  return ["system-ui, sans-serif", "ui-monospace, monospace"].map((font) => {
    brush.font = "100px " + font;
    return font + ": " + Math.round(brush.measureText("Hamburgefonstiv 0123456789").width);
  }).join("; ");
})()`;

export async function openEye(browser: Browser): Promise<Eye> {
  const page = await browser.newPage();
  const run = <Answer>(script: string, given: object) => page.evaluate<Answer>(`(${script})(${JSON.stringify(given)})`);
  return {
    async keepable(png, scale) {
      return Buffer.from(await run<string>(keep, { base64: png.toString("base64"), scale }), "base64");
    },
    async points(webp) {
      type Answer = Omit<Points, "rgba"> & { readonly base64: string };
      const { base64, ...size } = await run<Answer>(read, { base64: webp.toString("base64") });
      return { ...size, rgba: Buffer.from(base64, "base64") };
    },
    fonts: () => page.evaluate<string>(widths),
  };
}
