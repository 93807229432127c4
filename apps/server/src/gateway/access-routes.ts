/**
 * access-routes: `reprise.v1.AccessService`: the tokens that a site makes for its callers. For the owner, on the internal listeners.
 *
 * Fails   `invalid` names the field; `not-found` for a token that nobody made.
 * Keeps   the text of a token is in the answer that made it, and nowhere else.
 */
import { Refusal } from "@reprise/core/refusal.ts";
import type { AccessService } from "@reprise/protocol/gen/reprise/v1/access_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { present } from "@reprise/protocol/wire/check.ts";
import { instantToWire, optionalInstantFromWire, optionalInstantToWire } from "@reprise/protocol/wire/instant.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Caller } from "../manager/context.ts";
import { type Role, roles, type TokenRecord } from "../manager/token-record.ts";
import type { TokenBook } from "./token-book.ts";

export function accessRoutes(book: TokenBook, clock: Pick<Clock, "now">): RpcHandlers<typeof AccessService, Caller> {
  return {
    async createToken(request) {
      const expiresAt = optionalInstantFromWire("expiresAt", request.expiresAt);
      if (expiresAt !== undefined && expiresAt <= clock.now())
        throw new Refusal("invalid", "expiresAt: it has passed already; expected a time to come");
      const wanted = { name: nameOf(request.name), roles: rolesOf(request.roles) };
      const { record, text } = await book.create(expiresAt === undefined ? wanted : { ...wanted, expiresAt });
      return { record: tokenToWire(record), token: text };
    },
    async listTokens() {
      return { tokens: (await book.list()).map(tokenToWire) };
    },
    async revokeToken({ id }) {
      const record = await book.revoke(id);
      if (record === undefined) throw new Refusal("not-found", `token ${JSON.stringify(id.slice(0, 64))} is not known`);
      return { record: tokenToWire(record) };
    },
  };
}

function nameOf(given: string): string {
  if (!/^[\x20-\x7e]{1,64}$/.test(given) || given.trim() !== given)
    throw new Refusal("invalid", `name: ${JSON.stringify(given.slice(0, 64))}; expected 1–64 printable characters`);
  return given;
}

function rolesOf(given: readonly string[]): readonly Role[] {
  const wrong = given.find((role) => !(roles as readonly string[]).includes(role));
  if (wrong !== undefined || given.length === 0)
    throw new Refusal(
      "invalid",
      `roles: ${wrong === undefined ? "none" : JSON.stringify(wrong.slice(0, 64))}; expected one or more of ${roles.join(", ")}`,
    );
  return roles.filter((role) => given.includes(role));
}

const tokenToWire = ({ id, name, roles: has, createdAt, expiresAt, revokedAt }: TokenRecord) => ({
  id,
  name,
  roles: [...has],
  createdAt: instantToWire(createdAt),
  ...present({ expiresAt: optionalInstantToWire(expiresAt), revokedAt: optionalInstantToWire(revokedAt) }),
});
