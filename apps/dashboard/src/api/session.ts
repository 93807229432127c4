/**
 * session: the token of whoever looks, and nothing else.
 *
 * Keeps   it is in this browser's storage only: for this tab, or, where its user says so, until he signs out. One that an address brings
 *         behind its `#` (which no server sees) leaves the address at once, and counts only where nobody is signed in.
 */
const key = "reprise.token";

const stores = (): readonly Storage[] => [sessionStorage, localStorage];

export const readToken = (): string | undefined =>
  stores()
    .map((store) => store.getItem(key))
    .find((token) => token !== null) ?? undefined;

/** @param lasts `tab`: gone with it. `browser`: until signed out. */
export function keepToken(token: string, lasts: "tab" | "browser"): void {
  forgetToken();
  (lasts === "tab" ? sessionStorage : localStorage).setItem(key, token);
}

export function forgetToken(): void {
  for (const store of stores()) store.removeItem(key);
}

/** `…/#token=TOKEN`, as `reprise demo --open` prints it: for this tab. */
export function takeTokenFromAddress(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  if (token !== "" && readToken() === undefined) keepToken(token, "tab");
}
