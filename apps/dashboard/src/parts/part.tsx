/** part: one thing that is known of an attempt, with how much of it there is; what there is none of is left out. */
import type { ReactNode } from "react";

export function Part({
  title,
  count,
  children,
  open,
}: {
  readonly title: string;
  readonly count: number;
  readonly children: ReactNode;
  readonly open?: boolean;
}) {
  if (count === 0) return null;
  return (
    <details open={open}>
      <summary>
        {title} <span className="count">{count}</span>
      </summary>
      {children}
    </details>
  );
}
