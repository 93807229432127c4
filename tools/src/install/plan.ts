/**
 * plan: what `make install` puts where, as values.
 *
 * Takes   the folders (GNU coding standards: PREFIX, SYSCONFDIR, DESTDIR before all of them), the packages of the lock file.
 * Gives   every file and folder with its place; removing exactly these is `make uninstall`.
 * Pure
 */
export interface Folders {
  /** Before every path, and in none of the files: where a package is put together. */
  readonly destDir: string;
  readonly prefix: string;
  readonly sysconfDir: string;
  readonly unitDir: string;
}

export type Item =
  /** A folder of the checkout, less what only tests need. */
  | { readonly kind: "tree"; readonly from: string; readonly to: string }
  | { readonly kind: "text"; readonly from: string; readonly to: string; readonly mode: number; readonly isKept?: true }
  | { readonly kind: "link"; readonly target: string; readonly to: string }
  | { readonly kind: "mark"; readonly to: string };

/** What the program consists of. `sim` is the simulated Slurm of `--simulated`. */
const trees = ["apps", "packages", "sim/src", "signatures", "bin"];
const files = ["package.json", "package-lock.json", "sim/package.json", "sim/simulated-slurm.mjs", "LICENSE"];
const onlyForTests = /\.test\.ts$|\.contract\.ts$|(^|\/)(testdata|node_modules|\.vitest)(\/|$)/;
/** The page comes built. */
const onlyForBuilding = /^apps\/dashboard\/(?!(dist|package\.json)(\/|$))/;

const units = ["server", "watcher", "sac", "watchdog"].map((part) => `reprise-${part}.service`);

export const isOfProduct = (path: string): boolean => !onlyForTests.test(path) && !onlyForBuilding.test(path);

export const libDir = ({ prefix }: Folders): string => `${prefix}/lib/reprise`;

/** @param packages  Folders below `node_modules` that the program needs. */
export function planInstall(folders: Folders, packages: readonly string[]): readonly Item[] {
  const lib = libDir(folders);
  const { prefix, sysconfDir, unitDir } = folders;
  return [
    ...trees.map((from): Item => ({ kind: "tree", from, to: `${lib}/${from}` })),
    ...packages.map((from): Item => ({ kind: "tree", from, to: `${lib}/${from}` })),
    ...files.map((from): Item => ({ kind: "text", from, to: `${lib}/${from}`, mode: 0o644 })),
    { kind: "mark", to: `${lib}/.installed` },
    { kind: "link", target: "../lib/reprise/bin/reprise", to: `${prefix}/bin/reprise` },
    { kind: "tree", from: "docs", to: docDir(folders) },
    ...units.map(
      (unit): Item => ({ kind: "text", from: `packaging/systemd/${unit}`, to: `${unitDir}/${unit}`, mode: 0o644 }),
    ),
    { kind: "text", from: "packaging/sysusers.conf", to: `${prefix}/lib/sysusers.d/reprise.conf`, mode: 0o644 },
    {
      kind: "text",
      from: "packaging/reprise.yaml",
      to: `${sysconfDir}/reprise/reprise.yaml`,
      mode: 0o644,
      isKept: true,
    },
  ];
}

const docDir = ({ prefix }: Folders) => `${prefix}/share/doc/reprise`;

/** Fills a unit's `@…@` in. @throws Error naming one that is not known. */
export function fillIn(text: string, folders: Folders, sandbox: string): string {
  const values: Readonly<Record<string, string>> = {
    BINDIR: `${folders.prefix}/bin`,
    SYSCONFDIR: folders.sysconfDir,
    DOCDIR: docDir(folders),
    SANDBOX: sandbox.trim(),
  };
  return text.replace(/@([A-Z]+)@/g, (all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${all} is not known; known are ${Object.keys(values).join(", ")}`);
    return value;
  });
}

/** Where things go when nobody says. @throws Error naming a folder that is not absolute. */
export function foldersOf(env: Readonly<Record<string, string | undefined>>): Folders {
  const prefix = env["PREFIX"] || "/usr/local";
  const folders = {
    destDir: env["DESTDIR"] ?? "",
    prefix,
    sysconfDir: env["SYSCONFDIR"] || "/etc",
    unitDir: env["UNITDIR"] || `${prefix}/lib/systemd/system`,
  };
  for (const [name, path] of Object.entries(folders))
    if (path !== "" && !path.startsWith("/"))
      throw new Error(`${name === "destDir" ? "DESTDIR" : name.toUpperCase()} is ${path}; expected an absolute path`);
  return folders;
}

interface LockEntry {
  readonly dev?: boolean;
  /** Where a workspace's own link leads. */
  readonly resolved?: string;
  readonly link?: boolean;
}

/** @param entries  `packages` of package-lock.json. Nested ones come with the folder that they are in. */
export function packagesOf(entries: Readonly<Record<string, LockEntry>>): readonly string[] {
  const isInstalled = (folder = "") => folder === "sim" || trees.some((tree) => folder.startsWith(`${tree}/`));
  const wanted = Object.entries(entries).flatMap(([path, { dev, link, resolved }]) =>
    path.startsWith("node_modules/") && dev !== true && (link !== true || isInstalled(resolved)) ? [path] : [],
  );
  // Node itself is what we develop with, and what the program runs on.
  return [...wanted.filter((path) => !/\/node_modules\//.test(path)), "node_modules/node"].toSorted();
}
