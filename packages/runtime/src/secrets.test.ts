/** Goal: wherever a secret stands in a text, it is not printed, and the text around it is. */
import { expect, test } from "vitest";
import { maskText, maskValue } from "./secrets.ts";

const made = `reprise_0123456789ab_${"aB3-_".repeat(8)}xyz`;
const jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl";

test.each([
  [`the token ${made} was refused`, "the token reprise_0123456789ab_*** was refused"],
  [`?access_token=${made}&x=1`, "?access_token=reprise_0123456789ab_***&x=1"],
  [`got "${jwt}" instead`, 'got "***" instead'],
  [`authorization: Bearer ${jwt}`, "authorization: Bearer ***"],
  ["postgres://u:hunter22@db/x", "postgres://u:***@db/x"],
  ["reprise_data is a folder, eyJ is none", "reprise_data is a folder, eyJ is none"],
])("%s", (text, shown) => {
  expect(maskText(text)).toBe(shown);
  expect(JSON.stringify(maskValue({ deep: [{ error: new Error(text) }] }))).not.toMatch(/aB3-_aB3|c2lnb|hunter22/);
});
