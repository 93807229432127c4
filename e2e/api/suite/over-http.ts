/** over-http: asks by HTTP/JSON, as any client would. */
import { type Answer, type Ask, authorizationOf } from "./answer.ts";

/** @param url E.g. `http://127.0.0.1:8080`. */
export function overHttp(url: string, token: string | undefined): Ask {
  return async (asked): Promise<Answer> => {
    const authorization = authorizationOf(asked, token);
    const response = await fetch(`${url}${asked.target}`, {
      method: asked.method,
      headers: { ...asked.headers, ...(authorization === undefined ? {} : { authorization }) },
      ...(asked.body === "" ? {} : { body: asked.body }),
    });
    const text = await response.text();
    return { status: response.status, headers: new Map(response.headers), body: parsed(text) };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
