// PodNodeSelector: new pods get the node selector that an annotation of their namespace states.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/podnodeselector/admission.go,
// k8s.io/apimachinery/pkg/labels/labels.go (ConvertSelectorToLabelsMap).
import { type Decoded, labelKeyFaults, labelValueFaults } from "homeostat/api";
import type { Namespace, Pod } from "homeostat/k8s/core/v1";
import { forbiddenError, internalError, plainError } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { hasItems } from "../apimachinery/meta/read-fields.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { type CreatePlugin, isAbout, type PluginServices } from "./admission-plugin.ts";

const annotation = "scheduler.alpha.kubernetes.io/node-selector";

type Labels = Readonly<Record<string, string>>;

export const createPodNodeSelector: CreatePlugin = (services) => ({
  mutate(request) {
    if (!isNewPod(request)) return;
    const required = selectorOf(request, services);
    const spec = ((request.object as Decoded<Pod>).spec ??= {});
    assertNoConflict(request, required);
    if (hasItems(required)) spec.nodeSelector = { ...required, ...spec.nodeSelector };
  },
  validate(request) {
    if (isNewPod(request)) assertNoConflict(request, selectorOf(request, services));
  },
});

const isNewPod = (request: AdmissionRequest): boolean =>
  request.operation === "CREATE" && request.object !== undefined && isAbout(request, "", "pods");

function assertNoConflict(request: AdmissionRequest, required: Labels): void {
  const { metadata, spec } = request.object as Decoded<Pod>;
  const given = spec?.nodeSelector ?? {};
  const conflicts = Object.entries(required).some(
    ([key, value]) => given[key] !== undefined && given[key] !== value,
  );
  if (conflicts)
    throw forbiddenError(
      request.resource,
      metadata?.name ?? "",
      "pod node label selector conflicts with its namespace node label selector",
    );
}

function selectorOf({ namespace: name }: AdmissionRequest, { objects }: PluginServices): Labels {
  const found: Decoded<Namespace> | undefined = objects.find(
    { group: "", resource: "namespaces" },
    name,
  );
  if (!found) throw internalError(`namespace ${name} does not exist`);
  return parseLabels(found.metadata?.annotations?.[annotation] ?? "");
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
