// PodSecurity: refuses and warns of pods that violate the policy of their namespace, warns of such
// pod templates, and validates the labels that state the policy.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/security/podsecurity/admission.go,
// k8s.io/pod-security-admission/admission/admission.go.
import type { Decoded } from "homeostat/api";
import type { Container, Namespace, Pod } from "homeostat/k8s/core/v1";
import { internalError } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { loadLate } from "../apimachinery/load-late.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { type CreatePlugin, isAbout, type PluginServices } from "./admission-plugin.ts";
import type { PluginConfiguration } from "./configuration/plugin-configuration.ts";
import {
  defaultConfiguration,
  type PodSecurityConfiguration,
} from "./pod-security/configuration.ts";
import {
  annotate,
  formatLevelVersion,
  isFullyPrivileged,
  type ReadPolicy,
  readPolicy,
} from "./pod-security/pod-security-policy.ts";

type Pods = typeof import("./pod-security/admit-pod.ts");
type Configurations = typeof import("./pod-security/parse-configuration.ts");
type Namespaces = typeof import("./pod-security/admit-namespace.ts");

const namespaces = { group: "", resource: "namespaces" } as const;

/** Resources with a pod template, by group. */
const controllers: Readonly<Record<string, readonly string[]>> = {
  "": ["replicationcontrollers", "podtemplates"],
  apps: ["replicasets", "deployments", "statefulsets", "daemonsets"],
  batch: ["jobs", "cronjobs"],
};

/** Subresources of pods that do not change what is checked. */
const ignoredSubresources: ReadonlySet<string> = new Set([
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
]);

export const createPodSecurity: CreatePlugin = (services, given) => {
  const configuration = given ? configured(given) : defaultConfiguration;
  return {
    validate(request) {
      const { resource, subresource, operation, object } = request;
      if (!object || (operation !== "CREATE" && operation !== "UPDATE")) return;
      if (resource.group === "" && resource.resource === "pods")
        return admitPod(request, configuration, services);
      if (subresource) return;
      if (isAbout(request, "", "namespaces"))
        return (
          loadLate(import.meta.url, "./pod-security/admit-namespace") as Namespaces
        ).admitNamespace(request, configuration, services);
      if (controllers[resource.group]?.includes(resource.resource))
        admitController(request, configuration, services);
    },
  };
};

function configured(given: PluginConfiguration): PodSecurityConfiguration {
  const { parsePodSecurityConfiguration: parse } = loadLate(
    import.meta.url,
    "./pod-security/parse-configuration",
  ) as Configurations;
  return parse(given);
}

const pods = (): Pods => loadLate(import.meta.url, "./pod-security/admit-pod") as Pods;

function admitPod(
  request: AdmissionRequest,
  configuration: PodSecurityConfiguration,
  services: PluginServices,
): void {
  if (ignoredSubresources.has(request.subresource) || isExempt(request, configuration)) return;
  const read = policyOf(request, configuration, services);
  if (read === "not served") return;
  if (!read) throw internalError(`failed to lookup namespace ${quoteGo(request.namespace)}`);
  if (!read.errors.length && isFullyPrivileged(read.policy))
    return annotate(request, "enforce-policy", formatLevelVersion(read.policy.enforce));
  const pod = request.object as Decoded<Pod>;
  if (request.operation === "UPDATE" && !isSignificant(pod, request.old as Decoded<Pod>)) return;
  pods().checkPod(request, read, configuration);
}

function admitController(
  request: AdmissionRequest,
  configuration: PodSecurityConfiguration,
  services: PluginServices,
): void {
  if (isExempt(request, configuration)) return;
  const read = policyOf(request, configuration, services);
  if (!read || read === "not served") return;
  const { warn, audit } = read.policy;
  if (!read.errors.length && warn.level === "privileged" && audit.level === "privileged") return;
  pods().checkTemplate(request, read, configuration);
}

function isExempt(request: AdmissionRequest, { exemptions }: PodSecurityConfiguration): boolean {
  const isNamespace = exemptions.namespaces.includes(request.namespace);
  if (!isNamespace && !exemptions.usernames.includes(request.user.name)) return false;
  annotate(request, "exempt", isNamespace ? "namespace" : "user");
  return true;
}

/** undefined if the namespace does not exist. */
function policyOf(
  { namespace: name }: AdmissionRequest,
  { defaults }: PodSecurityConfiguration,
  { objects }: PluginServices,
): ReadPolicy | "not served" | undefined {
  const found: Decoded<Namespace> | undefined = objects.find(namespaces, name);
  if (!found && !objects.serves(namespaces)) return "not served";
  return found && readPolicy(found.metadata?.labels ?? {}, defaults);
}

/** Whether containers are added or removed, or an image changes. */
function isSignificant({ spec }: Decoded<Pod>, { spec: old }: Decoded<Pod>): boolean {
  type Containers = readonly Decoded<Container>[] | null | undefined;
  const differs = (a: Containers, b: Containers): boolean =>
    (a?.length ?? 0) !== (b?.length ?? 0) ||
    (a ?? []).some((container, at) => (container.image ?? "") !== (b?.[at]?.image ?? ""));
  return (
    differs(spec?.containers, old?.containers) ||
    differs(spec?.initContainers, old?.initContainers) ||
    (spec?.ephemeralContainers ?? []).some((container) => {
      const before = old?.ephemeralContainers?.find(({ name }) => name === container.name);
      return !before || (before.image ?? "") !== (container.image ?? "");
    })
  );
}
