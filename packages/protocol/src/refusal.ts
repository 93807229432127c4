/**
 * refusal: the one place where our codes meet the wire's.
 *
 * Gives   gRPC code and message for whatever was thrown; the HTTP status and body of that; and the way back.
 * Keeps   what is not a `Refusal` reaches the caller as "internal error" and nothing else.
 * Source  api.md §5; grpc/grpc, doc/statuscodes.md.
 */
import { Refusal, type RefusalCode } from "@reprise/core/refusal.ts";

export const grpcCode = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;
export type GrpcCode = (typeof grpcCode)[keyof typeof grpcCode];

/** A new RefusalCode does not compile until it is here. */
const onTheWire: Readonly<Record<RefusalCode, GrpcCode>> = {
  invalid: grpcCode.invalidArgument,
  unauthenticated: grpcCode.unauthenticated,
  forbidden: grpcCode.permissionDenied,
  "not-found": grpcCode.notFound,
  exists: grpcCode.alreadyExists,
  conflict: grpcCode.aborted,
  precondition: grpcCode.failedPrecondition,
  busy: grpcCode.resourceExhausted,
  unavailable: grpcCode.unavailable,
  unimplemented: grpcCode.unimplemented,
  deadline: grpcCode.deadlineExceeded,
};

const fromTheWire: ReadonlyMap<number, RefusalCode> = new Map(
  (Object.keys(onTheWire) as RefusalCode[]).map((code) => [onTheWire[code], code]),
);

const httpStatusOf: Readonly<Record<GrpcCode, number>> = {
  [grpcCode.ok]: 200,
  [grpcCode.cancelled]: 499, // The caller went away; nobody reads it.
  [grpcCode.unknown]: 500,
  [grpcCode.invalidArgument]: 400,
  [grpcCode.deadlineExceeded]: 504,
  [grpcCode.notFound]: 404,
  [grpcCode.alreadyExists]: 409,
  [grpcCode.permissionDenied]: 403,
  [grpcCode.resourceExhausted]: 429,
  [grpcCode.failedPrecondition]: 400,
  [grpcCode.aborted]: 409,
  [grpcCode.outOfRange]: 400,
  [grpcCode.unimplemented]: 501,
  [grpcCode.internal]: 500,
  [grpcCode.unavailable]: 503,
  [grpcCode.dataLoss]: 500,
  [grpcCode.unauthenticated]: 401,
};

/** What the caller may know of an error. */
export interface WireError {
  readonly code: GrpcCode;
  readonly message: string;
  /** What was thrown, where it was not a Refusal: for the log, never for the caller. */
  readonly cause?: unknown;
}

export function toWireError(thrown: unknown): WireError {
  if (thrown instanceof Refusal) return { code: onTheWire[thrown.code], message: thrown.message };
  return { code: grpcCode.internal, message: "internal error", cause: thrown };
}

/** @returns The status line's number and the JSON text of the body. */
export function toHttpError({ code, message }: WireError): { readonly status: number; readonly body: string } {
  return { status: httpStatusOf[code], body: JSON.stringify({ code, message, details: [] }) };
}

/** The other direction, for clients. A code that no Refusal has (INTERNAL, UNKNOWN, …) is a plain Error. */
export function fromWireError(code: number, message: string): Error {
  const refusal = fromTheWire.get(code);
  return refusal === undefined ? new Error(`${nameOf(code)}: ${message}`) : new Refusal(refusal, message);
}

function nameOf(code: number): string {
  return Object.entries(grpcCode).find(([, number]) => number === code)?.[0] ?? `gRPC code ${code}`;
}
