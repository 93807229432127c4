/**
 * followStory: `explain --follow`: the whole story once, and then what comes to it, line by line, as it is known.
 *
 * Takes   `again`, which gives the story as it is now; the clock that it waits by; what ends it.
 * Gives   only lines that were not there before: it can be piped, and scrolls. With `json` a whole story a line, whenever it has changed.
 * Fails   the first look that fails ends it; later ones are said once on stderr, and it goes on looking.
 * Keeps   that a step more was trained is no news by itself: it is told with the next line that is.
 */
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Console } from "../console.ts";
import { renderExplain } from "../render/explain.ts";
import { viewOf } from "../render/view.ts";
import type { WireExplain } from "../wire.ts";

const lookEveryMs = 2_000;

export async function followStory(
  again: () => Promise<WireExplain>,
  { json = false }: { readonly json?: boolean | undefined },
  console: Console,
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
): Promise<void> {
  let told = await again();
  let failure = "";
  console.out(json ? `${JSON.stringify(told)}\n` : renderExplain(told, viewOf(console)));
  for (;;) {
    await clock.sleep(lookEveryMs, signal);
    if (signal.aborted) return;
    try {
      const next = await again();
      failure = "";
      const news = json ? jsonNews(told, next) : newLines(told, next, console);
      if (news === "") continue;
      console.out(news);
      told = next;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (why !== failure) console.err(`reprise: ${why}; it is asked again\n`);
      failure = why;
    }
  }
}

function jsonNews(before: WireExplain, after: WireExplain): string {
  const text = JSON.stringify(after);
  return text === JSON.stringify(before) ? "" : `${text}\n`;
}

/** Both as they are shown now, so that an age that has grown is no difference. */
function newLines(before: WireExplain, after: WireExplain, console: Console): string {
  const view = viewOf(console);
  const known = new Set(renderExplain(before, view).split("\n"));
  const fresh = renderExplain(after, view)
    .split("\n")
    .filter((line) => !known.has(line));
  const isNews = fresh.some((line) => !/^ {2}training\b/.test(line));
  return isNews ? `${fresh.join("\n")}\n` : "";
}
