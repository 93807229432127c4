/**
 * allowed-address: which addresses a webhook may be on. A URL in a configuration must not become a way into the cluster's own network.
 *
 * Pure
 * Source  the special-purpose registries of IPv4 and IPv6 (RFC 6890): what is not globally reachable, multicast, and what carries an
 *         IPv4 address in it. `BlockList` judges `::ffff:10.0.0.1` as `10.0.0.1`.
 */
import { BlockList, isIP } from "node:net";

const notPublic: readonly string[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

const family = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6");

/** `10.0.0.0/8`, `10.1.2.3`, `fd00::/8`. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const max = isIP(address) === 4 ? 32 : 128;
  return (
    isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max))
  );
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits ?? (isIP(address) === 4 ? 32 : 128)), family(address));
  }
  return list;
}

const notPublicList = listOf(notPublic);

export interface Reach {
  /** Named by the site: also without TLS. */
  isAllowed(address: string): boolean;
  isPublic(address: string): boolean;
}

export function reachOf(allow: readonly string[]): Reach {
  const allowed = listOf(allow);
  return {
    isAllowed: (address) => allowed.check(address, family(address)),
    isPublic: (address) => !notPublicList.check(address, family(address)),
  };
}
