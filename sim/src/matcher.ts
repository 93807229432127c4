/** matcher: the real signatures, read once for all worlds. */
import { fileURLToPath } from "node:url";
import { createMatcher } from "@reprise/watcher/match/matcher.ts";
import { loadSignatures } from "@reprise/watcher/match/pack-files.ts";

export const matcher = createMatcher(loadSignatures([fileURLToPath(new URL("../../signatures", import.meta.url))]));
