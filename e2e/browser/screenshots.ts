/**
 * screenshots: `make screenshots`: every page at three sizes in both themes, into a folder, to be looked at.
 * `node e2e/browser/screenshots.ts [--keep] [folder] [page …]`; `--keep`: the pictures with which tests compare are these from now on.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keep } from "./kept.ts";
import { openEye } from "./likeness.ts";
import { looks, openGallery } from "./pictures.ts";

const asked = process.argv.slice(2);
const isKept = asked.includes("--keep");
const [folder = "e2e/.tmp/screenshots", ...only] = asked.filter((word) => word !== "--keep");

mkdirSync(folder, { recursive: true });
const gallery = await openGallery();
const eye = await openEye(gallery.browser);
try {
  for (const [name, look] of looks)
    await gallery.take(look, only, async (page, png) => {
      writeFileSync(join(folder, `${page}-${name}.png`), png);
      if (isKept) await keep(eye, `${page}-${name}`, png);
    });
} finally {
  await gallery.stop();
}
