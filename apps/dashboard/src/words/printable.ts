/**
 * printable: text of others (log lines, job names, Slurm's words) made safe to read.
 *
 * Pure    React writes it as text, so that it is never markup; here control characters and those that turn the direction of writing
 *         become visible, and what is too long is cut with a word about it.
 */
const charactersMax = 2_000;

export function printable(text: string): string {
  const cut = text.length > charactersMax ? `${text.slice(0, charactersMax)}… (${text.length} characters)` : text;
  return cut
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (character) => {
      if (character === "\t") return "  ";
      const code = character.charCodeAt(0);
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
    });
}
