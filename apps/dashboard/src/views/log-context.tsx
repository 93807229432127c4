/** log-context: the root line where it stands in its log: what stood right before it and after it is open, the rest folded. All of it is text. */
import type { LogContextJson } from "@reprise/protocol/gen/reprise/v1/course_pb.ts";
import { counted } from "../words/counted.ts";
import { printable } from "../words/printable.ts";

const openBefore = 2;
const openAfter = 4;

export function LogContext({
  line,
  context = {},
}: {
  readonly line: string;
  readonly context: LogContextJson | undefined;
}) {
  const { before = [], after = [] } = context;
  const split = Math.max(0, before.length - openBefore);
  return (
    <div className="log">
      <Folded lines={before.slice(0, split)} where="earlier" />
      <Around lines={before.slice(split)} />
      <span className="sr">The root line:</span>
      <code className="line root">{printable(line)}</code>
      <Around lines={after.slice(0, openAfter)} />
      <Folded lines={after.slice(openAfter)} where="later" />
    </div>
  );
}

function Around({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return <code className="line around">{lines.map(printable).join("\n")}</code>;
}

function Folded({ lines, where }: { readonly lines: readonly string[]; readonly where: string }) {
  if (lines.length === 0) return null;
  return (
    <details className="folded">
      <summary>{counted(lines.length, `${where} line`)}</summary>
      <Around lines={lines} />
    </details>
  );
}
