/**
 * Goal    an event is read as it was written, however the network cuts it; and a sign of life is no event.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readEvents } from "./events.ts";

const written =
  ':\n\nid: s.1\ndata: {"kind":"anew"}\n\n:\n\nid: s.2\ndata: {"kind":"job","heimdallJobId":"ä€😀"}\n\ndata: {"never":"wh';
const bytes = new TextEncoder().encode(written);

async function readIn(pieces: readonly Uint8Array[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  let lives = 0;
  const events: string[] = [];
  for await (const event of readEvents(body, () => lives++)) events.push(event);
  return { events, lives };
}

test("each event comes once it is whole, wherever its bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const at = [0, ...cuts, bytes.length].toSorted((a, b) => a - b);
      const { events, lives } = await readIn(at.slice(1).map((end, i) => bytes.subarray(at[i], end)));
      expect(events).toEqual(['{"kind":"anew"}', '{"kind":"job","heimdallJobId":"ä€😀"}']);
      expect(lives).toBe(at.length - 1);
    }),
  );
});
