/**
 * config-policy: the settings of what the site says beside a job's author, and of how long it keeps what is over; a part of
 * `config-schema.ts`.
 *
 * Takes   objects by partition in the file; in a variable or a flag the same as JSON.
 * Keeps   a site policy that cannot be read does not start: a misspelt cap would be no cap.
 */
import type { JsonObject } from "@reprise/core/nouns.ts";
import { type ByPartition, type SitePolicy, siteProblems } from "@reprise/core/policy/site-policy.ts";
import type { Settings, Values } from "@reprise/runtime/config.ts";
import { objectsByName, type SettingType, wholeNumber } from "@reprise/runtime/setting.ts";

const byPartition = (): SettingType<ByPartition> =>
  objectsByName('values by partition (* for all), such as {"*": {"max_requeue_times": 5}}', /^(\*|[\w.-]{1,255})$/);

export const policySettings = {
  policyDefaults: {
    doc: "By partition (`*`: all): what holds where the comment of a job says nothing, under the comment's keys.",
    type: byPartition(),
    default: {},
  },
  policyCaps: {
    doc: "By partition (`*`: all): the most that a comment may ask for; for its bounds that are numbers.",
    type: byPartition(),
    default: {},
  },
} as const satisfies Settings;

const days = () => wholeNumber(0, 36_500);

export const retentionSettings = {
  retentionDays: {
    doc: "Days after which a job at rest loses its details: signals, steps, decisions; 0: never. Its attempts and Advice stay.",
    type: days(),
    default: 180,
  },
  attemptRetentionDays: {
    doc: "Days after which a job at rest is removed, its attempts and Advice with it; 0: never. What waiting jobs may ask for stays.",
    type: days(),
    default: 730,
  },
  auditRetentionDays: { doc: "Days after which audit events are removed; 0: never.", type: days(), default: 730 },
} as const satisfies Settings;

type PolicyValues = Values<typeof policySettings>;

/** Undefined: the site says nothing. */
export function sitePolicy({ policyDefaults, policyCaps }: PolicyValues): SitePolicy | undefined {
  const isSilent = [policyDefaults, policyCaps].every((values: Readonly<Record<string, JsonObject>>) =>
    Object.values(values).every((value) => Object.keys(value).length === 0),
  );
  return isSilent ? undefined : { defaults: policyDefaults, caps: policyCaps };
}

/** @returns One sentence for everything that a site may not say. */
export function checkPolicy({ policyDefaults, policyCaps }: PolicyValues): readonly string[] {
  return siteProblems({ defaults: policyDefaults, caps: policyCaps });
}
