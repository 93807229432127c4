/** equal: whether two values say the same. */

/** Equal as JSON: the order of keys does not count, since jsonb does not keep it; a key without a value is none. */
export function areEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!areEqual(a[i] ?? null, b[i] ?? null)) return false;
    return true;
  }
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  let values = 0;
  for (const key of Object.keys(left)) {
    const part = left[key];
    if (part === undefined) continue;
    if (!Object.hasOwn(right, key) || !areEqual(part, right[key])) return false;
    values++;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) values--;
  return values === 0;
}
