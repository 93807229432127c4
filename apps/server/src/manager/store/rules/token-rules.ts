/** token-rules: what both bodies of the store say of tokens. Pure. */
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";

export const tooManyTokens = (): Refusal =>
  new Refusal("busy", `${limits.tokensMax} tokens are kept, which is the most; those that ended go after 90 days`);
