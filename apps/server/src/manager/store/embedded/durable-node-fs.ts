/**
 * durable-node-fs: PGlite's file system on Node, with an fsync that reaches the disk. As shipped it has none.
 *
 * Writes   through to the files; counts each fsync, so that who opens a database can prove that it is there.
 * Keeps    what PostgreSQL acknowledged survives a loss of power, as far as the disk keeps its word.
 * Source   PGlite 0.5 (emscripten's NODEFS): it leans on internals; `openLite` refuses to start where they changed.
 */
import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { NodeFS } from "@electric-sql/pglite/nodefs";

interface Stream {
  readonly nfd?: number | null;
  readonly node: unknown;
}
interface NodeFileSystem {
  readonly stream_ops: { fsync?: (stream: Stream) => number };
  realPath(node: unknown): string;
}

export class DurableNodeFs extends NodeFS {
  fsyncs = 0;

  override async init(...args: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const made = await super.init(...args);
    const preRun = (module: unknown) => this.install(module as { FS: { filesystems: { NODEFS: NodeFileSystem } } });
    const options = made.emscriptenOpts as { preRun?: unknown[] };
    options.preRun = [...(options.preRun ?? []), preRun];
    return made;
  }

  private install(module: { readonly FS: { readonly filesystems: { readonly NODEFS: NodeFileSystem } } }): void {
    const files = module.FS.filesystems.NODEFS;
    files.stream_ops.fsync = ({ nfd, node }) => {
      this.fsyncs++;
      if (typeof nfd === "number") fsyncSync(nfd);
      else fsyncPath(files.realPath(node));
      return 0;
    };
  }
}

export function fsyncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Every file and folder below, then the folder itself: what initdb wrote was never synced. */
export function fsyncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) fsyncTree(path);
    else if (entry.isFile()) fsyncPath(path);
  }
  fsyncPath(folder);
}
