/**
 * config-notify: the settings of who is told by webhook; a part of `config-schema.ts`.
 *
 * Takes   `notify` in the file: an object a receiver; in a variable the same as JSON.
 * Gives   one sentence for each key that is wrong, with its path: `notify.ops.form = "teams": expected …`.
 * Keeps   a receiver that cannot be read does not start: nobody would be told, and nobody would know. No URL is ever in a sentence.
 */
import { resolve } from "node:path";
import { z } from "zod";
import type { JsonObject } from "@reprise/core/nouns.ts";
import type { Settings, Values } from "@reprise/runtime/config.ts";
import * as type from "@reprise/runtime/setting.ts";
import { isNetwork } from "@reprise/server/manager/notice/allowed-address.ts";
import { type NoticeConfig, noticeKinds, type Receiver } from "@reprise/server/manager/notice/notice.ts";

/** Of the files that a receiver names, relative paths count from the folder of the configuration file. */
const receivers: type.SettingType<Readonly<Record<string, JsonObject>>> = {
  ...type.objectsByName('receivers by name, such as {"ops": {"url_file": "/etc/reprise/hook"}}', /^[\w.-]{1,64}$/),
  settle: (given, baseDir) =>
    Object.keys(given).length === 0
      ? given
      : Object.fromEntries(
          Object.entries(given).map(([name, receiver]) => [
            name,
            Object.fromEntries(
              Object.entries(receiver).map(([key, value]) => [
                key,
                key.endsWith("_file") && typeof value === "string" ? resolve(baseDir, value) : value,
              ]),
            ),
          ]),
        ),
};

export const notifySettings = {
  notify: {
    doc: "Who is told by webhook when recovery needs a person, by name of the receiver (docs/notifications.md).",
    type: receivers,
    default: {},
    isSecret: true,
  },
  notifyAllow: {
    doc: "Networks in which a webhook may be although they are not public, or although it has no TLS.",
    type: type.names("networks such as 10.0.0.0/8 or fd00::/8", /^[0-9a-fA-F.:/]{2,49}$/),
    default: [],
  },
} as const satisfies Settings;

type NotifyValues = Values<typeof notifySettings>;

const expected = (text: string) => ({ error: () => text });
const kinds = z
  .array(z.enum(noticeKinds, expected(`one of ${noticeKinds.join(", ")}`)), expected("a list of kinds"))
  .min(1);
const group = type.duration(0, 3_600_000);
const zone = type.timeZone();
const clockTime = "([01]\\d|2[0-3]):([0-5]\\d)";
const hours = new RegExp(`^${clockTime}-${clockTime}$`);
const filePath = z.string(expected("a path")).min(1).max(4096);

const receiverSchema = z
  .strictObject({
    url: z.url({ protocol: /^https?$/, error: () => "a URL that begins with https:// or http://" }).optional(),
    url_file: filePath.optional(),
    form: z.enum(["json", "slack"], expected("json or slack")).default("json"),
    secret_file: filePath.optional(),
    kinds: kinds.default([...noticeKinds]),
    group_for: z
      .string(expected(group.expected))
      .refine((v) => group.schema.safeParse(v).success, expected(group.expected))
      .default("30s"),
    quiet: z
      .string(expected("hours such as 22:00-07:00"))
      .regex(hours, expected("hours such as 22:00-07:00"))
      .optional(),
    zone: z
      .string(expected(zone.expected))
      .refine((v) => zone.schema.safeParse(v).success, expected(zone.expected))
      .default("UTC"),
    always: kinds.default(["blind"]),
  })
  .refine((v) => (v.url === undefined) !== (v.url_file === undefined), expected("one of url and url_file"));

/** @returns One sentence a problem; empty: it may start. */
export function checkNotify({ notify, notifyAllow }: NotifyValues): readonly string[] {
  const ofReceivers = Object.entries(notify).flatMap(([name, given]) => {
    const parsed = receiverSchema.safeParse(given);
    if (parsed.success) return [];
    return parsed.error.issues.map(({ path, message, code, ...issue }) => {
      if (code === "unrecognized_keys" && "keys" in issue)
        return `notify.${name}.${issue.keys.join(", ")}: unknown; expected ${Object.keys(receiverSchema.shape).join(", ")}`;
      const key = ["notify", name, ...path].join(".");
      const value = path.length === 0 || path[0] === "url" ? "" : ` = ${JSON.stringify(at(given, path))}`;
      return `${key}${value}: expected ${message}`;
    });
  });
  const ofNetworks = notifyAllow.filter((text) => !isNetwork(text));
  return [...ofReceivers, ...ofNetworks.map((text) => `notify_allow = ${text}: expected networks such as 10.0.0.0/8`)];
}

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown> | undefined)?.[key], value);

/** Undefined: nobody is told. @param values Checked. */
export function noticeConfig({ notify, notifyAllow }: NotifyValues): NoticeConfig | undefined {
  const parsed = Object.entries(notify).map(([name, given]): Receiver => {
    const v = receiverSchema.parse(given);
    const quiet = v.quiet === undefined ? undefined : hours.exec(v.quiet);
    const minutes = (i: number) => Number(quiet?.[i]) * 60 + Number(quiet?.[i + 1]);
    return {
      name,
      url: v.url === undefined ? { file: v.url_file ?? "" } : { text: v.url },
      form: v.form,
      ...(v.secret_file === undefined ? {} : { secretFile: v.secret_file }),
      kinds: v.kinds,
      groupForMs: group.schema.parse(v.group_for),
      ...(quiet ? { quiet: { from: minutes(1), to: minutes(3), zone: v.zone } } : {}),
      always: v.always,
    };
  });
  return parsed.length === 0 ? undefined : { receivers: parsed, allow: notifyAllow };
}
