/** found: something about this machine that was found out, or why not. */
export type Found<T> =
  | { readonly kind: "found"; readonly value: T }
  | { readonly kind: "not-found"; readonly why: string };

export const found = <T>(value: T): Found<T> => ({ kind: "found", value });
export const notFound = (why: string): Found<never> => ({ kind: "not-found", why });

/** What `read` gives, or the words of what it threw. */
export function tryTo<T>(read: () => T): Found<T> {
  try {
    return found(read());
  } catch (error) {
    return notFound(error instanceof Error ? error.message : String(error));
  }
}
