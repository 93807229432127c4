/** counted: how many there are of something, in words. */

/** @param many Absent: one with an s. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
