// Parses a PodSecurityConfiguration: the policy of what no label says, and exemptions. Pure.
// Upstream: k8s.io/pod-security-admission/admission/api (load/load.go, v1/defaults.go,
// validation/validation.go).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import type { PodSecurityConfiguration } from "./configuration.ts";
import { type LevelVersion, parseLevel, parseVersion } from "./pod-security-policy.ts";

const versions = ["v1", "v1beta1", "v1alpha1"].map(
  (version) => `pod-security.admission.config.k8s.io/${version}`,
);
const lists = ["usernames", "namespaces", "runtimeClasses"] as const;

/** The configuration, or what is wrong with it. */
export type ParsedConfiguration =
  | { readonly configuration: PodSecurityConfiguration }
  | { readonly faults: readonly string[] };

export function parsePodSecurityConfiguration(value: JsonObject): ParsedConfiguration {
  const { apiVersion, kind, defaults = {}, exemptions = {}, ...others } = value;
  const faults: string[] = [];
  if (!versions.includes(String(apiVersion)) || kind !== "PodSecurityConfiguration")
    faults.push(`expected PodSecurityConfiguration of ${versions[0]}`);
  const given = fieldsOf(defaults, "defaults", faults);
  const exempt = fieldsOf(exemptions, "exemptions", faults);
  const at = (mode: string): LevelVersion => levelAt(given, mode, faults);
  const parsed = {
    defaults: { enforce: at("enforce"), audit: at("audit"), warn: at("warn") },
    exemptions: {
      usernames: namesAt(exempt, "usernames", faults),
      namespaces: namesAt(exempt, "namespaces", faults),
      runtimeClasses: namesAt(exempt, "runtimeClasses", faults),
    },
  };
  const known = ["enforce", "audit", "warn"].flatMap((mode) => [mode, `${mode}-version`]);
  const unknown = [
    ...Object.keys(others),
    ...Object.keys(given).filter((name) => !known.includes(name)),
    ...Object.keys(exempt).filter((name) => !lists.some((list) => list === name)),
  ];
  faults.push(...unknown.map((name) => `unknown field ${JSON.stringify(name)}`));
  return faults.length ? { faults } : { configuration: parsed };
}

function fieldsOf(value: Json, field: string, faults: string[]): JsonObject {
  if (isObject(value)) return value;
  faults.push(`${field}: expected an object`);
  return {};
}

function levelAt(given: JsonObject, mode: string, faults: string[]): LevelVersion {
  const level = parseLevel(String(given[mode] || "privileged"));
  const version = parseVersion(String(given[`${mode}-version`] || "latest"));
  if (!level) faults.push(`defaults.${mode}: must be one of privileged, baseline, restricted`);
  if (!version) faults.push(`defaults.${mode}-version: must be "latest" or "v1.x"`);
  return {
    level: level ?? "restricted",
    version: version ?? { text: "latest", minor: Number.POSITIVE_INFINITY },
  };
}

function namesAt(
  exemptions: JsonObject,
  list: (typeof lists)[number],
  faults: string[],
): readonly string[] {
  const names = exemptions[list] ?? [];
  const isValid =
    Array.isArray(names) &&
    names.every((name) => typeof name === "string" && name) &&
    new Set(names).size === names.length;
  if (isValid) return names as readonly string[];
  faults.push(`exemptions.${list}: expected different names`);
  return [];
}
