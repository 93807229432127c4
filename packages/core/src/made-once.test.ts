/**
 * Goal    of an object a thing is made once, and of an equal one another.
 * Method  counts how often it is made.
 */
import { expect, test } from "vitest";
import { madeOnce } from "./made-once.ts";

test("the same object gives the same thing, also where that is nothing; an equal object gives another", () => {
  const asked: object[] = [];
  const nothing = madeOnce((of: object) => void asked.push(of));
  const [one, other] = [{ a: 1 }, { a: 1 }];
  for (const of of [one, other, one, other]) nothing(of);
  expect(asked).toEqual([one, other]);
  const copied = madeOnce((of: object) => ({ ...of }));
  expect(copied(one)).toBe(copied(one));
  expect(copied(one)).not.toBe(copied(other));
});
