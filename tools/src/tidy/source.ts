/**
 * source: one file of the repository, cut into code, comments and strings.
 *
 * Takes   a path relative to the root, with `/`, and its text.
 * Gives   `code` is as long as `text`, line for line: comments, the insides of strings and regular expressions are blanks.
 *         So a rule that looks for a name in `code` cannot be misled by a sentence about it.
 * Pure    total: a file that does not parse gives a best guess, and the type check says what is wrong with it.
 */

export interface Piece {
  /** Offset of the first character: the opening quote, or the comment's `/`. */
  readonly at: number;
  /** Without its quotes; a comment whole. A template's text between two `${}` is a piece of its own. */
  readonly text: string;
}

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly code: string;
  readonly strings: readonly Piece[];
  readonly comments: readonly Piece[];
}

const isTypeScript = (path: string) => /\.tsx?$/.test(path);
const beforeRegExp =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|await|yield|delete|throw))$/;

export function readSource(path: string, text: string): Source {
  if (!isTypeScript(path)) return { path, text, code: "", strings: [], comments: [] };
  const scan = new Scan(text);
  scan.code(undefined);
  return { path, text, code: scan.blanked(), strings: scan.strings, comments: scan.comments };
}

/** Counts from 1. */
export function lineAt(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < at; i = text.indexOf("\n", i + 1)) line++;
  return line;
}

class Scan {
  readonly strings: Piece[] = [];
  readonly comments: Piece[] = [];
  private readonly text: string;
  private readonly blanks: [from: number, to: number][] = [];
  private i = 0;
  /** The last stretch of code before `i`, to tell a division from a regular expression. */
  private before = "";

  constructor(text: string) {
    this.text = text;
  }

  /** Reads code up to the `}` that closes a template's `${`, or to the end of the file. */
  code(until: "}" | undefined): void {
    let depth = 0;
    while (this.i < this.text.length) {
      const c = this.text[this.i] ?? "";
      const two = this.text.slice(this.i, this.i + 2);
      if (two === "//") this.comment(this.endOr(this.text.indexOf("\n", this.i)));
      else if (two === "/*") this.comment(this.endOr(this.text.indexOf("*/", this.i + 2), 2));
      else if (c === '"' || c === "'") this.quoted(c);
      else if (c === "`") this.template();
      else if (c === "/" && beforeRegExp.test(this.before)) this.regExp();
      else {
        if (c === "}" && until === "}" && depth === 0) return;
        if (c === "{") depth++;
        if (c === "}") depth--;
        if (!/\s/.test(c)) this.before = (this.before + c).slice(-12);
        else if (/\w$/.test(this.before)) this.before += " ";
        this.before = this.before.replace(/ +$/, "");
        this.i++;
      }
    }
  }

  blanked(): string {
    let out = "";
    let at = 0;
    for (const [from, to] of this.blanks) {
      out += this.text.slice(at, from) + this.text.slice(from, to).replace(/[^\n]/g, " ");
      at = to;
    }
    return out + this.text.slice(at);
  }

  private endOr(found: number, extra = 0): number {
    return found === -1 ? this.text.length : found + extra;
  }

  private comment(to: number): void {
    this.comments.push({ at: this.i, text: this.text.slice(this.i, to) });
    this.blanks.push([this.i, to]);
    this.i = to;
  }

  private quoted(quote: string): void {
    const from = this.i++;
    while (this.i < this.text.length && this.text[this.i] !== quote && this.text[this.i] !== "\n") this.step();
    this.piece(from, this.i);
    this.i++;
    this.before = '"';
  }

  private template(): void {
    let from = this.i++;
    while (this.i < this.text.length && this.text[this.i] !== "`") {
      if (this.text.startsWith("${", this.i)) {
        this.piece(from, this.i);
        this.i += 2;
        this.before = "{";
        this.code("}");
        from = this.i++;
      } else this.step();
    }
    this.piece(from, this.i);
    this.i++;
    this.before = '"';
  }

  private regExp(): void {
    const from = this.i++;
    let inClass = false;
    while (this.i < this.text.length && this.text[this.i] !== "\n" && (inClass || this.text[this.i] !== "/")) {
      if (this.text[this.i] === "[") inClass = true;
      if (this.text[this.i] === "]") inClass = false;
      this.step();
    }
    this.blanks.push([from + 1, this.i]);
    this.i++;
    this.before = '"';
  }

  /** One character, or an escape of two. */
  private step(): void {
    this.i += this.text[this.i] === "\\" ? 2 : 1;
  }

  private piece(from: number, to: number): void {
    this.strings.push({ at: from, text: this.text.slice(from + 1, to) });
    this.blanks.push([from + 1, to]);
  }
}
