/**
 * serve: the thread's side of a lane: it waits for a request, asks the file system, answers.
 *
 * Writes    the shared memory alone.
 * Fails     what the file system throws is the answer. A call that never returns holds this thread and nobody else.
 * Bound     one request at a time; a sweep says which file it is at, so that the asker knows which one it hangs on.
 */
import type { LogFiles } from "../file/log-files.ts";
import {
  aheadBytesMax,
  answer,
  answerWidth,
  ask,
  askWidth,
  at,
  looked,
  operation,
  putGrowth,
  putLook,
  putText,
  type Shared,
  textIn,
} from "./shared.ts";

/** Bytes before the expected place that are read along: the mark of a position is made of them. */
const beforeBytes = 64;

/** Never returns: the thread is ended from outside. */
export function serve(shared: Shared, files: LogFiles): never {
  const { control } = shared;
  for (let done = 0; ; ) {
    Atomics.wait(control, at.request, done);
    const request = Atomics.load(control, at.request);
    if (request === done) continue;
    try {
      control[at.result] = carryOut(shared, files);
    } catch (error) {
      control[at.result] = -1 - putText(shared.data, (error as Error).message.slice(0, 1_000));
    }
    done = request;
    Atomics.store(control, at.answer, done);
    Atomics.notify(control, at.answer);
  }
}

/** @returns what the operation counts: bytes of text or of the file. */
function carryOut(shared: Shared, files: LogFiles): number {
  const { control, numbers, data } = shared;
  const [file = 0, offset = 0, bytes = 0] = numbers;
  const text = () => textIn(data, control[at.count]!);
  switch (control[at.operation]) {
    case operation.open:
      return putText(data, JSON.stringify(files.open(text())));
    case operation.look:
      return putText(data, JSON.stringify(files.look(text())));
    case operation.names:
      return putText(data, JSON.stringify(files.names(text()) ?? null));
    case operation.read:
      return files.read(file, data.subarray(0, bytes), offset);
    case operation.close:
      files.close(file);
      return 0;
    default:
      sweep(shared, files);
      return 0;
  }
}

function sweep({ control, asks, answers, arena }: Shared, files: LogFiles): void {
  let used = 0;
  for (let slot = 0; slot < control[at.count]!; slot++) {
    Atomics.store(control, at.slot, slot);
    const [asked, to] = [slot * askWidth, slot * answerWidth];
    const file = asks[asked + ask.file]!;
    answers[to + answer.aheadBytes] = 0;
    growInto(answers, to + answer.own, files, file);
    if (asks[asked + ask.byName] === 0) answers[to + answer.named] = looked.notAsked;
    else lookInto(answers, to + answer.named, files, file);
    if (answers[to + answer.own] !== looked.seen) continue;

    const size = answers[to + answer.size]!;
    const expected = asks[asked + ask.expected]!;
    const from = Math.max(0, expected - beforeBytes);
    if (expected < 0 || size <= expected || size - from > aheadBytesMax || used + size - from > arena.length) continue;
    const bytes = files.read(file, arena.subarray(used, used + size - from), from);
    answers[to + answer.aheadAt] = used;
    answers[to + answer.aheadFrom] = from;
    answers[to + answer.aheadBytes] = bytes;
    used += bytes;
  }
}

function growInto(answers: Float64Array, begin: number, files: LogFiles, file: number): void {
  try {
    const { size, mtimeMs } = files.growthOf(file);
    putGrowth(answers, begin, size, mtimeMs);
  } catch {
    answers[begin] = looked.unreadable;
  }
}

function lookInto(answers: Float64Array, begin: number, files: LogFiles, file: number): void {
  try {
    const seen = files.lookByName(file);
    if (seen.kind === "seen") putLook(answers, begin, seen.look);
    else answers[begin] = looked[seen.kind];
  } catch {
    answers[begin] = looked.unreadable;
  }
}
