/**
 * heap-bounds: the options of the Node that runs a watcher.
 *
 * Keeps   a watcher of 5,000 files lives on what it holds, about 50 MB: by default V8 lets three times as much garbage gather before it
 *         looks for any. Measured: docs/benchmarks.md.
 */
export const heapBounds: readonly string[] = ["--max-semi-space-size=4", "--heap-growing-percent=40"];
