// Validation of the DNS settings of a pod.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validatePodDNSConfig).
import type { Decoded } from "homeostat/api";
import type { PodDNSConfig } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import { legacyIpErrors } from "../../../validation/ip-addresses.ts";
import { ruled, underscoredSubdomainFaults } from "../../../validation/field-rules.ts";

const maxServers = 3;
const maxSearches = 32;
const maxSearchBytes = 2048;

/** `dnsConfig` under a `dnsPolicy`. */
export function validatePodDns(
  config: Decoded<PodDNSConfig> | undefined,
  policy: string,
  path: string,
): FieldError[] {
  if (policy === "None" && !config)
    return [fieldError.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
  if (!config) return [];
  const servers = config.nameservers ?? [];
  const searches = config.searches ?? [];
  if (policy === "None" && !servers.length)
    return [
      fieldError.required(
        `${path}.nameservers`,
        "must provide at least one DNS nameserver when `dnsPolicy` is None",
      ),
    ];
  return [
    ...serverErrors(servers, `${path}.nameservers`),
    ...searchErrors(searches, `${path}.searches`),
    ...eachItem(config.options, `${path}.options`, (option, at) =>
      errorIf(!option.name, () => fieldError.required(at, "must not be empty")),
    ),
  ];
}

const countErrors = (
  values: readonly string[],
  max: number,
  what: string,
  path: string,
): FieldError[] =>
  errorIf(values.length > max, () =>
    fieldError.invalid(path, [...values], `must not have more than ${max} ${what}`),
  );

function serverErrors(servers: readonly string[], path: string): FieldError[] {
  return [
    ...countErrors(servers, maxServers, "nameservers", path),
    ...eachItem(servers, path, (server, at) => legacyIpErrors(server, at)),
  ];
}

function searchErrors(searches: readonly string[], path: string): FieldError[] {
  return [
    ...countErrors(searches, maxSearches, "search paths", path),
    ...errorIf(Buffer.byteLength(searches.join(" ")) > maxSearchBytes, () =>
      fieldError.invalid(
        path,
        [...searches],
        `must not have more than ${maxSearchBytes} characters (including spaces) in the search list`,
      ),
    ),
    ...eachItem(searches, path, (search, at) =>
      search === "." ? [] : ruled(underscoredSubdomainFaults, search.replace(/\.$/, ""), at),
    ),
  ];
}
