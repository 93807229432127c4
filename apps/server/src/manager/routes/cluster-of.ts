/** cluster-of: the cluster that a request names; the server's own where it names none. `invalid` names the field. */
import { identifier } from "@reprise/protocol/wire/check.ts";
import type { Site } from "../job-report.ts";

export const clusterOf = ({ cluster }: Pick<Site, "cluster">, given: string): string =>
  given === "" ? cluster : identifier("cluster", given);
