/**
 * sign-in-routes: `reprise.v1.SignInService`: how a browser begins to sign in, and what it does with the provider's answer. See `sign-in.ts`.
 *
 *     GET  /reprise/v1/sign-in    everybody
 *     POST /reprise/v1/sign-in    everybody
 *
 * Fails   `precondition` where no provider is configured to sign in with; as `sign-in.ts`.
 */
import { Refusal } from "@reprise/core/refusal.ts";
import type { SignInService } from "@reprise/protocol/gen/reprise/v1/sign_in_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import type { Caller } from "../manager/context.ts";
import type { SignIn } from "./sign-in.ts";

export function signInRoutes(signIn: SignIn | undefined): RpcHandlers<typeof SignInService, Caller> {
  return {
    async getSignIn() {
      return signIn === undefined ? {} : { oidc: await signIn.begin() };
    },
    async signIn(request) {
      if (signIn === undefined)
        throw new Refusal("precondition", "this server signs nobody in: oidc_client_id is not set");
      return { token: await signIn.redeem(request) };
    },
  };
}
