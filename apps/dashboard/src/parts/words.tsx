/** words: a sentence of the server, in which a command stands between backticks. */
import { printable } from "../words/printable.ts";

export function Words({ of: text }: { readonly of: string | undefined }) {
  const parts = printable(text ?? "").split("`");
  // Without its partner a backtick is one.
  if (parts.length % 2 === 0) return <>{parts.join("`")}</>;
  return <>{parts.map((part, i) => (i % 2 === 0 ? part : <code key={part}>{part}</code>))}</>;
}
