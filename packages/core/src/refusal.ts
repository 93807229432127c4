/**
 * refusal: an expected no. Whatever else is thrown is a bug.
 *
 * Gives   a code with one place on the wire (`protocol/src/refusal.ts`) and a message that names the field,
 *         the value and what was expected. The message may reach the caller; a cause never does.
 */
export const refusalCodes = [
  "invalid",
  "unauthenticated",
  "forbidden",
  "not-found",
  "exists",
  "conflict",
  "precondition",
  "busy",
  "unavailable",
  "unimplemented",
  "deadline",
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

export class Refusal extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = "Refusal";
    this.code = code;
  }
}
