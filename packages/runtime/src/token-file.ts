/**
 * token-file: the bearer token that the listeners ask for, in a file that only its owner may read.
 *
 * Writes  the file, once: 256 random bits as text, mode 0600. Two processes that make it at the same time end with one token.
 * Fails   `Refusal`: `not-found` when it is missing, `precondition` when others may read it or what is in it is no token.
 *         The message names the file and what to do; never the token.
 */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { Refusal } from "@reprise/core/refusal.ts";

const tokenPattern = /^[\x21-\x7e]{16,4096}$/;

/** The token in `path`, made when the file is missing. */
export function ensureToken(path: string): string {
  try {
    return readToken(path);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "not-found") throw error;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Written whole under another name first: nobody ever reads half a token, and `link` refuses to replace another's.
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, `${randomBytes(32).toString("base64url")}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    chmodSync(draft, 0o600); // Whatever the umask says.
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
  return readToken(path);
}

export function readToken(path: string): string {
  const content = readPrivately(path);
  const token = content.trim();
  if (!tokenPattern.test(token)) {
    throw new Refusal(
      "precondition",
      `the token file ${path} holds no token: expected one line of 16–4096 visible characters`,
    );
  }
  return token;
}

/** The mode is asked of the open file, so that what is checked is what is read. */
function readPrivately(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new Refusal("not-found", `there is no token file ${path}: \`reprise up\` makes one and prints where`);
    }
    if (code === "EACCES") {
      throw new Refusal(
        "precondition",
        `the token file ${path} may not be read by this user: call as its owner, or give another with --token-file`,
      );
    }
    throw error;
  }
  try {
    const { mode } = fstatSync(file);
    if ((mode & 0o170000) !== 0o100000) throw new Refusal("precondition", `the token file ${path} is not a file`);
    if ((mode & 0o027) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, "0");
      throw new Refusal(
        "precondition",
        `the token file ${path} has mode ${shown}: others may read or change it. Run: chmod 600 ${path}`,
      );
    }
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
