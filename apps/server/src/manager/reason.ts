/**
 * reason: why a person orders something, in his own words, for whoever asks later.
 *
 * Fails   `invalid` names the field.
 */
import { limits } from "@reprise/core/limits.ts";
import { freeText, invalid } from "@reprise/protocol/wire/check.ts";

export function reasonOf(given: string): string {
  const reason = freeText(given).trim();
  const chars = [...reason].length;
  if (chars === 0) throw invalid("reason", "is required: say why, for whoever asks later");
  if (chars > limits.overrideReasonCharsMax)
    throw invalid("reason", `has ${chars} characters; expected at most ${limits.overrideReasonCharsMax}`);
  return reason;
}
