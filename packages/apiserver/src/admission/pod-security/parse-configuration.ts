// Parses a PodSecurityConfiguration: the policy of what no label says, and exemptions. Pure.
// Upstream: k8s.io/pod-security-admission/admission/{admission.go (CompleteConfiguration),
// api/load/load.go, api/validation/validation.go}, policy/api (PolicyToEvaluate).
import { dnsSubdomainFaults, dnsLabelFaults, isObject, type JsonObject } from "homeostat/api";
import { aggregate } from "../../apimachinery/errors/aggregate.ts";
import { duplicate, type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import {
  assertConfigurationKind,
  assertKnownFields,
  assertNoFieldErrors,
  InitializationError,
} from "../configuration/decode-configuration.ts";
import type { PluginConfiguration } from "../configuration/plugin-configuration.ts";
import { mismatch, readMembers } from "../go-members.ts";
import type { PodSecurityConfiguration } from "./configuration.ts";
import {
  latest,
  type LevelVersion,
  modes,
  parseLevel,
  parseVersion,
} from "./pod-security-policy.ts";

const kind = {
  group: "pod-security.admission.config.k8s.io",
  versions: ["v1", "v1beta1", "v1alpha1"],
  kind: "PodSecurityConfiguration",
} as const;
const modeFields = modes.flatMap((mode) => [mode, `${mode}-version`]);
const fields = {
  defaults: Object.fromEntries(modeFields.map((name) => [name, null])),
  exemptions: { usernames: null, namespaces: null, runtimeClasses: null },
};

/** Throws an Error with upstream's message. */
export function parsePodSecurityConfiguration(
  given: PluginConfiguration | undefined,
): PodSecurityConfiguration {
  const value = given?.value ?? {};
  if (given) assertConfigurationKind(given, kind);
  const defaults = readMembers(objectAt(value, "defaults"), "PodSecurityDefaults.defaults");
  const exempt = readMembers(objectAt(value, "exemptions"), "PodSecurityExemptions.exemptions");
  const texts = Object.fromEntries(modeFields.map((name) => [name, defaults.text(name) || ""]));
  const exemptions = {
    usernames: exempt.texts("usernames"),
    namespaces: exempt.texts("namespaces"),
    runtimeClasses: exempt.texts("runtimeClasses"),
  };
  assertKnownFields(value, fields);
  const [enforce, audit, warn] = parsePolicy(texts);
  assertExemptions(exemptions);
  return { defaults: { enforce, audit, warn }, exemptions };
}

function objectAt(value: JsonObject, field: "defaults" | "exemptions"): JsonObject {
  const inner = value[field] ?? {};
  if (isObject(inner)) return inner;
  const type = field === "defaults" ? "PodSecurityDefaults" : "PodSecurityExemptions";
  throw mismatch(inner, `PodSecurityConfiguration.${field}`, `v1.${type}`);
}

type Policies = readonly [enforce: LevelVersion, audit: LevelVersion, warn: LevelVersion];

function parsePolicy(texts: Readonly<Record<string, string>>): Policies {
  const faults: string[] = [];
  const levels = modes.map((mode): LevelVersion => {
    const level = parseLevel(texts[mode] || "privileged");
    const version = parseVersion(texts[`${mode}-version`] || "latest");
    if (!level) faults.push(`${mode}: must be one of privileged, baseline, restricted`);
    if (!version) faults.push(`${mode}-version: must be "latest" or "v1.x"`);
    return { level: level ?? "restricted", version: version ?? latest };
  });
  if (!faults.length) return levels as unknown as Policies;
  throw new InitializationError(`PodSecurity configuration error: ${aggregate(faults)}`);
}

function assertExemptions(exemptions: PodSecurityConfiguration["exemptions"]): void {
  const empty = (name: string): readonly string[] => (name ? [] : ["username must not be empty"]);
  const errors = [
    ...namesErrors("namespaces", exemptions.namespaces, dnsLabelFaults),
    ...namesErrors("runtimeClasses", exemptions.runtimeClasses, dnsSubdomainFaults),
    ...namesErrors("usernames", exemptions.usernames, empty),
  ];
  try {
    assertNoFieldErrors(errors);
  } catch (error) {
    throw new InitializationError(`PodSecurity invalid: ${(error as Error).message}`);
  }
}

function namesErrors(
  list: string,
  names: readonly string[],
  faultsOf: (name: string) => readonly string[],
): readonly FieldError[] {
  return names.flatMap((name, at) => {
    const path = `exemptions.${list}[${at}]`;
    const faults = faultsOf(name);
    if (faults.length) return [invalid(path, name, faults.join(", "))];
    return names.indexOf(name) < at ? [duplicate(path, name)] : [];
  });
}
