// The addresses that a request came from: what proxies state, and the connection's.
// Upstream: k8s.io/apimachinery/pkg/util/net/http.go (SourceIPs).
import { formatAddress } from "@homeostat/cel/net";
import type { ApiRequest } from "../apimachinery/handler.ts";
import { parseIpSloppy } from "../kinds/validation/ip-addresses.ts";

/**
 * Those of X-Forwarded-For, X-Real-Ip unless it is among them, and the peer's unless it is the last
 * one already; what is no address is left out.
 */
export function sourceAddresses({ headers, peer }: ApiRequest): readonly string[] {
  const parse = (text: string | undefined): string | undefined => {
    const address = text ? parseIpSloppy(text) : undefined;
    return address && formatAddress(address);
  };
  const forwarded = headers["x-forwarded-for"]?.split(",") ?? [];
  const addresses = forwarded.flatMap((text) => parse(text.trim()) ?? []);
  const real = parse(headers["x-real-ip"]);
  if (real !== undefined && !addresses.includes(real)) addresses.push(real);
  const remote = parse(peer?.remoteAddress);
  if (remote !== undefined && addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}
