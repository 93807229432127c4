import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { meQuery } from "../api/queries.ts";

/** Orders, for whoever may give them; to anybody else, why there are none. The server refuses them too. */
export function ForOperators({ children }: { readonly children: ReactNode }) {
  const me = useQuery(meQuery());
  if (me.data === undefined) return null;
  if (me.data.mayOrder === true) return children;
  return <p className="faint">Orders need the role operator; you have {(me.data.roles ?? []).join(", ") || "none"}.</p>;
}
