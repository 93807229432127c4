/** standing: how something stands, as a word with a shape; the colour only repeats it. */
const shapes: Readonly<Record<string, { readonly shape: string; readonly tone: string; readonly word: string }>> = {
  running: { shape: "▶", tone: "good", word: "running" },
  waiting: { shape: "○", tone: "calm", word: "waiting" },
  recovering: { shape: "↻", tone: "busy", word: "recovering" },
  deciding: { shape: "?", tone: "busy", word: "deciding" },
  stopped: { shape: "■", tone: "bad", word: "stopped" },
  ended: { shape: "–", tone: "calm", word: "ended" },
  "not-covered": { shape: "∅", tone: "calm", word: "not covered" },
  RUNNING: { shape: "▶", tone: "good", word: "running" },
  PENDING: { shape: "○", tone: "calm", word: "pending" },
  COMPLETED: { shape: "✓", tone: "good", word: "completed" },
  FAILED: { shape: "✕", tone: "bad", word: "failed" },
  CANCELLED: { shape: "–", tone: "calm", word: "cancelled" },
  STOPPED: { shape: "■", tone: "warn", word: "stopped" },
  DELETED: { shape: "∅", tone: "calm", word: "gone" },
  drain: { shape: "▼", tone: "bad", word: "drain" },
  watch: { shape: "◆", tone: "warn", word: "watch" },
  out: { shape: "∅", tone: "calm", word: "out of use" },
  clear: { shape: "✓", tone: "good", word: "clear" },
  CONVERGED: { shape: "✓", tone: "good", word: "done" },
  ABANDONED: { shape: "✕", tone: "warn", word: "given up" },
  active: { shape: "↻", tone: "busy", word: "open" },
  observed: { shape: "◌", tone: "calm", word: "observed" },
  past: { shape: "–", tone: "calm", word: "past" },
};

export function Standing({ of }: { readonly of: string }) {
  const { shape, tone, word } = shapes[of] ?? { shape: "·", tone: "calm", word: of.toLowerCase().replaceAll("_", " ") };
  return (
    <span className={`standing ${tone}`}>
      <span aria-hidden="true">{shape}</span> {word}
    </span>
  );
}
