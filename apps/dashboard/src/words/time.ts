/** time: instants and durations as a person reads them. Pure; in the browser's own time zone. */

/** `RFC 3339` → milliseconds since 1970; undefined for what is absent or is no time. */
export function instant(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) || at === 0 ? undefined : at;
}

const two = (n: number) => String(n).padStart(2, "0");

/** `14:03:07.4`: with tenths, because a recovery is a matter of seconds. */
export function clockTime(at: number): string {
  const d = new Date(at);
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}.${Math.floor(d.getMilliseconds() / 100)}`;
}

export function dateTime(at: number): string {
  const d = new Date(at);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 7 min`, `3 d 4 h`. Two units at most. */
export function duration(ms: number): string {
  const s = Math.max(0, ms) / 1_000;
  if (s < 10) return `${Math.round(s * 10) / 10} s`;
  if (s < 60) return `${Math.round(s)} s`;
  const parts: readonly [number, string][] = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ];
  let rest = Math.round(s);
  const told: string[] = [];
  for (const [size, unit] of parts) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 || told.length > 0) told.push(`${count} ${unit}`);
    if (told.length === 2) break;
  }
  return told.filter((part, i) => i === 0 || !part.startsWith("0 ")).join(" ");
}

/** `12 s ago`; what lies ahead is `in 3 h`. */
export function ago(at: number | undefined, now: number): string {
  if (at === undefined) return "never";
  return at > now + 1_500 ? `in ${duration(at - now)}` : `${duration(now - at)} ago`;
}
