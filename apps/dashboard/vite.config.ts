/** vite.config: builds the page into `dist/`. Every address in it is relative: the server says in the document where its paths begin. */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  plugins: [react()],
  build: {
    target: "es2023",
    // Small pictures would become data: addresses in the script; a file is cached by itself.
    assetsInlineLimit: 0,
    // Its inline script would need a hole in the policy; every browser that runs the rest preloads by itself.
    modulePreload: { polyfill: false },
  },
});
