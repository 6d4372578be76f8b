// PodNodeSelector: new pods get the node selector that an annotation of their namespace states, or
// the cluster's default, and may have the labels only that the configuration lists for their
// namespace.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/podnodeselector/admission.go,
// k8s.io/apimachinery/pkg/labels/labels.go (ConvertSelectorToLabelsMap).
import { type Decoded, labelKeyFaults, labelValueFaults } from "homeostat/api";
import type { Namespace, Pod } from "homeostat/k8s/core/v1";
import { forbiddenError, internalError, plainError } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { hasItems } from "../apimachinery/meta/read-fields.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { type CreatePlugin, isAbout, type PluginServices } from "./admission-plugin.ts";
import { type NodeSelectors, parsePodNodeSelector } from "./configuration/pod-node-selector.ts";

const annotation = "scheduler.alpha.kubernetes.io/node-selector";

type Labels = Readonly<Record<string, string>>;

export const createPodNodeSelector: CreatePlugin = (services, given) => {
  const configured = parsePodNodeSelector(given);
  const requiredOf = (request: AdmissionRequest): Labels =>
    selectorOf(request, configured, services);
  const validate = (request: AdmissionRequest): void => {
    if (!isNewPod(request)) return;
    assertNoConflict(request, requiredOf(request));
    assertListed(request, parseLabels(configured[request.namespace] ?? ""));
  };
  return {
    mutate(request) {
      if (!isNewPod(request)) return;
      const required = requiredOf(request);
      const spec = ((request.object as Decoded<Pod>).spec ??= {});
      assertNoConflict(request, required);
      if (hasItems(required)) spec.nodeSelector = { ...required, ...spec.nodeSelector };
      validate(request);
    },
    validate,
  };
};

const isNewPod = (request: AdmissionRequest): boolean =>
  request.operation === "CREATE" && request.object !== undefined && isAbout(request, "", "pods");

function assertNoConflict(request: AdmissionRequest, required: Labels): void {
  const given = selectorIn(request);
  const conflicts = Object.entries(required).some(
    ([key, value]) => given[key] !== undefined && given[key] !== value,
  );
  if (conflicts)
    throw conflictWith(
      request,
      "pod node label selector conflicts with its namespace node label selector",
    );
}

/** An empty list allows everything. */
function assertListed(request: AdmissionRequest, listed: Labels): void {
  const given = Object.entries(selectorIn(request));
  if (hasItems(listed) && !given.every(([key, value]) => listed[key] === value))
    throw conflictWith(
      request,
      "pod node label selector labels conflict with its namespace whitelist",
    );
}

const selectorIn = ({ object }: AdmissionRequest): Labels =>
  ((object as Decoded<Pod>).spec?.nodeSelector ?? {}) as Labels;

const conflictWith = ({ resource, object }: AdmissionRequest, why: string): Error =>
  forbiddenError(resource, (object as Decoded<Pod>).metadata?.name ?? "", why);

function selectorOf(
  { namespace: name }: AdmissionRequest,
  { clusterDefaultNodeSelector }: NodeSelectors,
  { objects }: PluginServices,
): Labels {
  const found: Decoded<Namespace> | undefined = objects.find(
    { group: "", resource: "namespaces" },
    name,
  );
  if (!found) throw internalError(`namespace ${name} does not exist`);
  const own = found.metadata?.annotations?.[annotation];
  return parseLabels(own ?? clusterDefaultNodeSelector ?? "");
}

/** Parses e.g. `env=test,disk=ssd`. */
function parseLabels(text: string): Labels {
  const pairs = text === "" ? [] : text.split(",").map((pair) => pair.split("="));
  return Object.fromEntries(
    pairs.map((parts) => {
      if (parts.length !== 2) throw plainError(`invalid selector: [${parts.join(" ")}]`);
      const [key = "", value = ""] = parts.map((part) => part.trim());
      assertValid("<nil>", key, labelKeyFaults(key));
      assertValid(`[${key}]`, value, labelValueFaults(value));
      return [key, value];
    }),
  );
}

function assertValid(path: string, text: string, faults: readonly string[]): void {
  if (faults.length)
    throw plainError(`${path}: Invalid value: ${quoteGo(text)}: ${faults.join("; ")}`);
}
