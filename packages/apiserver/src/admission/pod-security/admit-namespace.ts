// Validates the labels of a namespace that state its policy, and warns of existing pods that
// violate a stricter one.
// Upstream: k8s.io/pod-security-admission/admission/admission.go (ValidateNamespace,
// EvaluatePodsInNamespace).
import { compareBytewise, type Decoded, equalJson, type JsonObject } from "homeostat/api";
import type { Pod } from "homeostat/k8s/core/v1";
import { invalidError } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { metaMap } from "../../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { PluginServices } from "../admission-plugin.ts";
import { isExempt, toChecked } from "./admit-pod.ts";
import type { PodSecurityConfiguration } from "./configuration.ts";
import { evaluatePod, formatReasons } from "./evaluate-pod.ts";
import {
  compareLevels,
  formatLevelVersion,
  isFullyPrivileged,
  isSameLevelVersion,
  labelPrefix,
  type LevelVersion,
  modes,
  type Policy,
  readPolicy,
} from "./pod-security-policy.ts";

const maxPods = 3000;
const timeoutMs = 1000;

/** Throws 422 for labels that state no policy. */
export function admitNamespace(
  request: AdmissionRequest,
  configuration: PodSecurityConfiguration,
  services: PluginServices,
): void {
  const labels = labelsOf(request.object!);
  const next = readPolicy(labels, configuration.defaults);
  const refuse = (): never => {
    throw invalidError({ group: "", kind: "Namespace" }, request.name, next.errors);
  };
  const isExemptNamespace = configuration.exemptions.namespaces.includes(request.namespace);
  const warnIfExempt = (): void => {
    const warning = exemptWarning(request, labels, { policy: next.policy, configuration });
    if (isExemptNamespace && warning) request.warn(warning);
  };
  if (request.operation === "CREATE") {
    if (next.errors.length) refuse();
    return warnIfExempt();
  }
  const old = readPolicy(labelsOf(request.old!), configuration.defaults);
  const isSame = equalJson(toJson(next.errors), toJson(old.errors));
  if (next.errors.length && (!old.errors.length || !isSame)) refuse();
  if (!isStricter(next.policy.enforce, old.policy.enforce)) return;
  if (isExemptNamespace) return warnIfExempt();
  for (const text of podWarnings(request, next.policy.enforce, configuration, services))
    request.warn(text);
}

const labelsOf = (object: JsonObject): Readonly<Record<string, string>> =>
  (metaMap(object, "labels") ?? {}) as Readonly<Record<string, string>>;

const toJson = (errors: readonly { readonly field: string; readonly body: string }[]) =>
  errors.map(({ field, body }) => `${field}: ${body}`);

/** Whether existing pods may violate what is newly enforced. */
function isStricter(next: LevelVersion, old: LevelVersion): boolean {
  if (isSameLevelVersion(next, old) || next.level === "privileged") return false;
  return next.version.text !== old.version.text || compareLevels(next.level, old.level) > 0;
}

interface ExemptNamespace {
  readonly policy: Policy;
  readonly configuration: PodSecurityConfiguration;
}

/** undefined if the ignored policy would change nothing. */
function exemptWarning(
  { namespace }: AdmissionRequest,
  labels: Readonly<Record<string, string>>,
  { policy, configuration: { defaults } }: ExemptNamespace,
): string | undefined {
  const isEquivalent = modes.every(
    (mode) =>
      (policy[mode].level === "privileged" && defaults[mode].level === "privileged") ||
      isSameLevelVersion(policy[mode], defaults[mode]),
  );
  if (isFullyPrivileged(policy) || isEquivalent) return undefined;
  const stated = modes.filter(
    (mode) =>
      policy[mode].level !== "privileged" &&
      ["", "-version"].some((suffix) => labels[`${labelPrefix}${mode}${suffix}`] !== undefined),
  );
  const text = stated.map((mode) => `${mode}=${formatLevelVersion(policy[mode])}`).join(", ");
  return `namespace ${quoteGo(namespace)} is exempt from Pod Security, and the policy (${text}) will be ignored`;
}

/** One warning for each kind of violation, with the first pod by name. */
function podWarnings(
  { name: namespace }: AdmissionRequest,
  enforce: LevelVersion,
  configuration: PodSecurityConfiguration,
  { objects, runtime }: PluginServices,
): readonly string[] {
  const pods = prioritized(
    objects.list({ group: "", resource: "pods" }, namespace) as readonly Decoded<Pod>[],
    configuration,
  );
  const deadline = runtime.clock.now() + timeoutMs;
  const found = new Map<string, string[]>();
  let checked = 0;
  for (const pod of pods.slice(0, maxPods)) {
    checked++;
    const reasons = formatReasons(evaluatePod(enforce, toChecked(pod)));
    if (reasons) {
      const names = found.get(reasons) ?? [];
      names.push(pod.metadata?.name ?? "");
      found.set(reasons, names);
    }
    if (runtime.clock.now() >= deadline) break;
  }
  const head = [
    ...(checked < pods.length
      ? [
          `new PodSecurity enforce level only checked against the first ${checked} of ${pods.length} existing pods`,
        ]
      : []),
    ...(found.size
      ? [
          `existing pods in namespace ${quoteGo(namespace)} violate the new PodSecurity enforce level ${quoteGo(formatLevelVersion(enforce))}`,
        ]
      : []),
  ];
  return [...head, ...[...found].map(formatPods).toSorted(compareBytewise)];
}

/** `a (and 2 other pods): hostPort, privileged`. */
function formatPods([reasons, names]: readonly [string, readonly string[]]): string {
  const first = names.toSorted(compareBytewise)[0];
  const others = names.length - 1;
  const rest = others ? ` (and ${others} other pod${others === 1 ? "" : "s"})` : "";
  return `${first}${rest}: ${reasons}`;
}

/** One pod of each controller before further ones. */
function prioritized(
  pods: readonly Decoded<Pod>[],
  configuration: PodSecurityConfiguration,
): readonly Decoded<Pod>[] {
  const seen = new Set<string>();
  const first: Decoded<Pod>[] = [];
  const further: Decoded<Pod>[] = [];
  for (const pod of pods) {
    if (isExempt(toChecked(pod), configuration)) continue;
    const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller === true);
    const uid = owner?.uid ?? "";
    (owner && seen.has(uid) ? further : first).push(pod);
    if (owner) seen.add(uid);
  }
  return [...first, ...further];
}
