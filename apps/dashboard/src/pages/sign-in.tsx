/** sign-in: at the site's identity provider, or with a token, and where it is kept. What is wrong is said by the server. */
import { useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { WhoAmIResponseJson } from "@reprise/protocol/gen/reprise/v1/now_pb.ts";
import { ask } from "../api/client.ts";
import { askSignIn, beginSignIn, signInFailure } from "../api/oidc.ts";
import { keepToken } from "../api/session.ts";

export function SignInPage() {
  const queries = useQueryClient();
  const [token, setToken] = useState("");
  const [isKept, keep] = useState(false);
  const [failure, setFailure] = useState(signInFailure);
  const [isAsking, setAsking] = useState(false);

  async function signIn(): Promise<void> {
    setAsking(true);
    try {
      await ask<WhoAmIResponseJson>("/reprise/v1/me", undefined, undefined, token.trim());
      keepToken(token.trim(), isKept ? "browser" : "tab");
      await queries.resetQueries();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setAsking(false);
    }
  }

  const provider = useQuery({
    queryKey: ["sign-in"],
    queryFn: ({ signal }) => askSignIn(signal),
    refetchInterval: false,
  });
  const { oidc } = provider.data ?? {};

  return (
    <main className="alone">
      <form
        className="sign-in"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <h1>Reprise</h1>
        <p className="faint">Brings long training jobs back.</p>
        {oidc === undefined ? null : (
          <button
            type="button"
            onClick={() => void beginSignIn(oidc).catch((error: unknown) => setFailure(String(error)))}
          >
            Sign in at {new URL(oidc.issuer ?? "").host}
          </button>
        )}
        <label>
          Token
          <input
            type="password"
            autoComplete="current-password"
            required
            value={token}
            onChange={(event) => setToken(event.target.value)}
            aria-describedby="token-help"
            aria-invalid={failure !== undefined}
          />
        </label>
        <p id="token-help" className="faint">
          The owner reads it from the server’s token file; everybody else has one from <code>reprise token create</code>
          .
        </p>
        <label className="check">
          <input type="checkbox" checked={isKept} onChange={(event) => keep(event.target.checked)} /> Keep me signed in
          on this computer
        </label>
        {failure === undefined ? null : (
          <p className="failure" role="alert">
            {failure}
          </p>
        )}
        <button type="submit" disabled={isAsking || token.trim() === ""}>
          {isAsking ? "Asking…" : "Sign in"}
        </button>
      </form>
    </main>
  );
}
