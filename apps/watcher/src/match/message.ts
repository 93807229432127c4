/**
 * message: the lines inside a line of JSON, or behind newlines that a logger has escaped.
 *
 * Takes         text of one line, which may have been cut at its end.
 * Gives         the inner lines and what the object says of its speaker; undefined for an ordinary line. Numbers of a step that stand
 *               beside the message are a line of their own: `{"msg": "train", "step": 12, "loss": 2.1}`.
 * Pure, total   an object without a message is an ordinary line: its fields may be a step.
 * Bound         `linesMax` inner lines.
 */
import { uncoloured } from "./line-text.ts";
import { partsOf, type Speaker } from "./speaker.ts";

const linesMax = 500;
const messageKeys = "message|msg|log|text|event|body|short_message|@message";
const traceKeys = "exc_info|exc_text|exception|traceback|stack|stack_trace|stacktrace|error\\.stack_trace|full_message";
const field = (keys: string) => new RegExp(`"(?:${keys})"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`);
const messageField = field(messageKeys);
const traceField = field(traceKeys);
const rankField = /"(?:global_)?rank"\s*:\s*"?(\d{1,6})/i;
const stepField = /"(?:global_|train_)?(?:step|iteration|iter)"\s*:\s*\d/;
const hostField = /"(?:host|hostname|node|node_name|nodename|host\.name)"\s*:\s*"([\w.-]+)"/i;

export interface Message {
  readonly lines: readonly string[];
  readonly speaker: Speaker;
}

export function messageLines(text: string): Message | undefined {
  if (text.includes('{"') || text.includes('{ "')) {
    const { speaker, body } = partsOf(text);
    const found = body.startsWith("{") ? ofJson(body, speaker) : undefined;
    if (found !== undefined) return found;
  }
  // A traceback that was logged as one text: `Traceback (most recent call last):\n  File …`.
  if (!text.includes("Traceback (most recent call last)") || !text.includes("\\n")) return undefined;
  const start = text.indexOf("Traceback (most recent call last)");
  const lines = [text.slice(0, start), ...text.slice(start).split("\\n")];
  return { speaker: partsOf(text).speaker, lines: lines.filter((line) => line.trim() !== "").slice(0, linesMax) };
}

function ofJson(body: string, speaker: Speaker): Message | undefined {
  const [message, trace] = [messageField.exec(body)?.[1], traceField.exec(body)?.[1]];
  if (message === undefined && trace === undefined) return undefined;
  const lines = [message, trace].flatMap((part) =>
    part === undefined
      ? []
      : unescaped(part)
          .split(/\r\n|\n|\r/)
          .map(uncoloured),
  );
  const [rank, host] = [rankField.exec(body)?.[1], hostField.exec(body)?.[1]];
  return {
    lines: [...lines.filter((line) => line.trim() !== "").slice(0, linesMax), ...stepBeside(body, message)],
    speaker: {
      ...speaker,
      ...(rank === undefined ? {} : { rank: Number(rank) }),
      ...(host === undefined ? {} : { host }),
    },
  };
}

/** What is counted in an evaluation is no step of the training. */
function stepBeside(body: string, message = ""): readonly string[] {
  if (!stepField.test(body) || /\b(?:eval|valid|test)/i.test(message)) return [];
  try {
    const fields = Object.entries(JSON.parse(body) as Readonly<Record<string, unknown>>);
    const numbers = fields.filter(([key, value]) => typeof value === "number" && /step|iter|loss|epoch|val/i.test(key));
    return [JSON.stringify(Object.fromEntries(numbers)).replaceAll('":', '": ')];
  } catch {
    return []; // Cut, or not quite JSON.
  }
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text.replaceAll("\\n", "\n").replaceAll('\\"', '"'); // Cut, or not quite JSON.
  }
}
