// The DNS settings of a pod.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validatePodDNSConfig).
import type { Decoded } from "homeostat/api";
import type { PodDNSConfig } from "homeostat/k8s/core/v1";
import { type FieldError, invalid, required } from "../../../../apimachinery/errors/field-error.ts";
import { legacyIpErrors } from "../../../validation/ip-addresses.ts";
import { ruled, underscoredSubdomainFaults } from "../../../validation/field-rules.ts";

const mostServers = 3;
const mostSearches = 32;
const longestSearch = 2048;

/** `dnsConfig` under a `dnsPolicy`. */
export function validatePodDns(
  config: Decoded<PodDNSConfig> | undefined,
  policy: string,
  path: string,
): FieldError[] {
  if (policy === "None" && !config)
    return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
  if (!config) return [];
  const servers = config.nameservers ?? [];
  const searches = config.searches ?? [];
  if (policy === "None" && !servers.length)
    return [
      required(
        `${path}.nameservers`,
        "must provide at least one DNS nameserver when `dnsPolicy` is None",
      ),
    ];
  return [
    ...(servers.length > mostServers
      ? [
          invalid(
            `${path}.nameservers`,
            [...servers],
            `must not have more than ${mostServers} nameservers`,
          ),
        ]
      : []),
    ...servers.flatMap((server, i) => legacyIpErrors(server, `${path}.nameservers[${i}]`)),
    ...(searches.length > mostSearches
      ? [
          invalid(
            `${path}.searches`,
            [...searches],
            `must not have more than ${mostSearches} search paths`,
          ),
        ]
      : []),
    ...(Buffer.byteLength(searches.join(" ")) > longestSearch
      ? [
          invalid(
            `${path}.searches`,
            [...searches],
            `must not have more than ${longestSearch} characters (including spaces) in the search list`,
          ),
        ]
      : []),
    ...searches.flatMap((search, i) =>
      search === "."
        ? []
        : ruled(underscoredSubdomainFaults, search.replace(/\.$/, ""), `${path}.searches[${i}]`),
    ),
    ...(config.options ?? []).flatMap((option, i) =>
      option.name ? [] : [required(`${path}.options[${i}]`, "must not be empty")],
    ),
  ];
}
