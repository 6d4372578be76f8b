// --service-locations: where the server reaches Services, e.g.
// `shop/hook=127.0.0.1:9443,shop/api:8443=[::1]:9444`.
import { usageError } from "./command-error.ts";

/** An address. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

const pair = /^([^/=\s]+\/[^/=:\s]+(?::\d{1,5})?)=(?:\[([^\]\s]+)\]|([^:\s]+)):(\d{1,5})$/;

/** By `namespace/name` or `namespace/name:port`. Throws a usage error. */
export function parseServiceLocations(text: string): ReadonlyMap<string, ServiceAddress> {
  const entries = text.split(",").map((item) => {
    const [, service, address, name, port] = pair.exec(item.trim()) ?? [];
    if (!service || Number(port) > 65_535)
      throw usageError(
        `--service-locations: expected namespace/name[:port]=host:port, separated by commas, got ${JSON.stringify(item)}`,
      );
    return [service, { host: (address ?? name)!, port: Number(port) }] as const;
  });
  return new Map(entries);
}
