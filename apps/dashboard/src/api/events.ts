/**
 * events: server-sent events as a stream of bytes brings them: cut anywhere, with comments between.
 *
 * Gives   the data of each event that came whole. Its ID is read from the data: ours say it there, too.
 * Source  https://html.spec.whatwg.org/multipage/server-sent-events.html, as this server writes them: `\n` ends a line, one line of data.
 */

/** @param onBytes Called whenever anything came, comments too. */
export async function* readEvents(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    text += decoder.decode(value, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "));
      if (data !== undefined) yield data.slice("data: ".length);
    }
  }
}
