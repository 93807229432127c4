/**
 * rows: a long list, of which only what is in sight is in the document. 10,000 rows cost as much as 30.
 *
 * Takes   all rows that are loaded, and how to ask for more when the end comes into sight.
 * Keeps   it reads as a table: a head, rows with their number among all, cells in the order of the columns; on a narrow screen a row
 *         is two lines, and what matters least is left out.
 */
import { type Key, type ReactNode, useEffect, useRef } from "react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { clockTime } from "../words/time.ts";

export interface Column<Row> {
  readonly name: string;
  /** Of the whole line; a CSS grid track. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  /** Left out below 700 px. */
  readonly isWide?: true;
  /** A sentence, of which nothing may be cut off. */
  readonly wraps?: true;
}

interface More {
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly load: () => void;
  /** The list has grown too long to be looked at again by itself. */
  readonly asOf?: { readonly at: number; readonly refresh: () => void };
}

export interface RowsProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => Key;
  readonly columns: readonly Column<Row>[];
  readonly more?: More;
}

const usualHeight = 44;
/** How near the end asks for the next page. */
const aheadRows = 40;

export function Rows<Row>({ label, rows, keyOf, columns, more }: RowsProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => usualHeight,
    overscan: 12,
    getItemKey: (index) => keyOf(rows[index] as Row),
  });
  const shown = virtual.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more?.hasMore === true && !more.isLoading && lastShown >= rows.length - aheadRows) more.load();
  }, [lastShown, rows.length, more]);
  const tracks = { "--tracks": columns.map(({ width }) => width).join(" ") } as Record<string, string>;
  const look = ({ isWide, wraps }: Column<Row>) =>
    [isWide === true ? "wide" : "", wraps === true ? "wraps" : ""].join(" ").trim() || undefined;
  return (
    <div className="long-list">
      {more?.asOf === undefined ? null : <AsOf {...more.asOf} />}
      <div
        className="rows"
        role="table"
        aria-label={label}
        aria-rowcount={more?.hasMore === true ? -1 : rows.length + 1}
        style={tracks}
      >
        <div role="rowgroup" className="rows-head">
          <div role="row" className="row" aria-rowindex={1}>
            {columns.map((column) => (
              <span role="columnheader" key={column.name} className={look(column)}>
                {column.name}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="rows-scroll" ref={scroller} tabIndex={0} aria-label={`${label}: rows`}>
          <div style={{ height: virtual.getTotalSize(), position: "relative" }} role="presentation">
            {shown.map(({ index, key, start }) => (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 2}
                className="row"
                data-index={index}
                ref={virtual.measureElement}
                style={{ position: "absolute", insetInline: 0, transform: `translateY(${start}px)` }}
              >
                {columns.map((column) => (
                  <span role="cell" key={column.name} className={look(column)}>
                    {column.cell(rows[index] as Row)}
                  </span>
                ))}
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

function AsOf({ at, refresh }: NonNullable<More["asOf"]>) {
  return (
    <p className="as-of" role="status">
      So long a list is not kept up to date by itself: as of {clockTime(at)}.{" "}
      <button type="button" onClick={refresh}>
        Look again
      </button>
    </p>
  );
}
