// Rules for metadata.name and for the keys of ConfigMaps and Secrets. Each returns upstream's
// messages.
// Upstream: k8s.io/apimachinery pkg/api/validation/generic.go, pkg/util/validation/validation.go,
// pkg/api/validate/strfmt.go (LongName).
import {
  dnsLabelFaults,
  dnsSubdomainFaults,
  formatRegexFault,
  pathSegmentFaults,
  pathSegmentPrefixFaults,
  type SyntaxRule,
} from "homeostat/api";
import type { NameRule } from "../../apimachinery/meta/validate-object-meta.ts";

const configKey = "[-._a-zA-Z0-9]+";
const configKeyPattern = new RegExp(`^${configKey}$`);

/** Keys of ConfigMaps and Secrets. */
export const configMapKeyFaults: SyntaxRule = (key) => [
  ...(Buffer.byteLength(key) > 253 ? ["must be no more than 253 characters"] : []),
  ...(configKeyPattern.test(key)
    ? []
    : [
        formatRegexFault(
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
          configKey,
          "key.name",
          "KEY_NAME",
          "key-name",
        ),
      ]),
  ...dotFaults(key),
];

function dotFaults(key: string): readonly string[] {
  if (key === "." || key === "..") return [`must not be '${key}'`];
  return key.startsWith("..") ? ["must not start with '..'"] : [];
}

/** metadata.name is a DNS subdomain: most kinds. */
export const nameIsDnsSubdomain: NameRule = maskedDash(dnsSubdomainFaults);
/** The same rule where upstream has its declarative form, whose message counts bytes. */
export const nameIsLongName: NameRule = (name, prefixOnly) =>
  nameIsDnsSubdomain(name, prefixOnly).map((fault) => fault.replace("253 characters", "253 bytes"));
/** metadata.name is a DNS label: namespaces. */
export const nameIsDnsLabel: NameRule = maskedDash(dnsLabelFaults);
/** metadata.name is a path segment: RBAC objects. */
export const nameIsPathSegment: NameRule = (name, prefixOnly) =>
  prefixOnly ? pathSegmentPrefixFaults(name) : pathSegmentFaults(name);

/** The dash at the end of a generateName is not at the end of the name. */
function maskedDash(rule: SyntaxRule): NameRule {
  return (name, prefixOnly) =>
    rule(prefixOnly && name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name);
}
