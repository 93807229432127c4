/** clock: one second hand for the whole page, by the server's clock; and the times that it shows. */
import { useSyncExternalStore } from "react";
import { serverNow } from "../api/client.ts";
import { ago, dateTime, instant } from "../words/time.ts";

const tickMs = 1_000;
let second = Math.floor(serverNow() / tickMs);

function subscribe(onTick: () => void): () => void {
  const timer = setInterval(() => {
    second = Math.floor(serverNow() / tickMs);
    onTick();
  }, tickMs);
  return () => clearInterval(timer);
}

/** Milliseconds since 1970, whole seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => second) * tickMs;

/** How long ago; the whole time when it is pointed at. */
export function Ago({ at, none = "never" }: { readonly at: string | undefined; readonly none?: string }) {
  const now = useNow();
  const then = instant(at);
  if (then === undefined) return <span className="faint">{none}</span>;
  return (
    <time dateTime={at} title={dateTime(then)}>
      {ago(then, now)}
    </time>
  );
}
