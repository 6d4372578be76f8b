// ReplicationControllers: the selector is a plain map and may change; deletes orphan the pods.
// Upstream: k8s.io/kubernetes/pkg/registry/core/replicationcontroller/strategy.go,
// pkg/apis/core/v1/{defaults.go,conversion.go}, pkg/apis/core/validation/validation.go
// (ValidateReplicationController…).
import type { Decoded } from "homeostat/api";
import type { ReplicationController, ReplicationControllerSpec } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { hasItems } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { validateWholeObject } from "../validation/validate-object.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { formatLabels } from "../validation/label-selectors.ts";
import { setPodTemplateDefaults } from "./pod/pod-template-spec.ts";
import { createReplicaScale } from "./workload/replica-scale.ts";
import { replicaStatusStrategy } from "./workload/replica-counts.ts";
import { validateWorkloadTemplate } from "./workload/validate-workload-template.ts";
import { generationChanged, templateWarnings } from "./workload/workload-warnings.ts";
import { nameIsLongName } from "../validation/names.ts";
import { workloadStrategy } from "./workload/workload-strategy.ts";
import { replicaCells } from "./workload/workload.ts";

export const replicationController: KindDefinition<Decoded<ReplicationController>> = {
  ...gvk("v1", "ReplicationController"),
  etcdPrefix: "controllers",
  defaults: setDefaults,
  strategy: {
    ...workloadStrategy,
    defaultPropagation: "Orphan",
    // Upstream passes the old template as the new one.
    warningsOnUpdate: (object, old) =>
      generationChanged(object, old) ? templateWarnings(old) : [],
    ...validateWholeObject({
      validateName: nameIsLongName,
      validate: ({ spec }, old) => validateSpec(spec ?? {}, old && (old.spec ?? {})),
    }),
  },
  subresources: { status: replicaStatusStrategy },
  scale: createReplicaScale((object) => selectorText(object, "")),
  selectable: {
    names: ["status.replicas"],
    extract: ({ status }) => ({ "status.replicas": String(status?.replicas ?? 0) }),
  },
  cells: (object, ages) => [...replicaCells(object, ages), selectorText(object, "<none>")],
};

function setDefaults(object: Decoded<ReplicationController>): void {
  const spec = object.spec ?? {};
  const template = spec.template ?? undefined;
  setPodTemplateDefaults(template);
  spec.replicas ??= 1;
  const labels = template?.metadata?.labels;
  if (!labels) return;
  if (!hasItems(spec.selector)) spec.selector = { ...labels };
  if (!hasItems(object.metadata?.labels)) metadataOf(object).labels = { ...labels };
}

function validateSpec(
  spec: Decoded<ReplicationControllerSpec>,
  old?: Decoded<ReplicationControllerSpec>,
): FieldError[] {
  const { template } = spec;
  const selector = Object.entries(spec.selector ?? {}).map(([key, value]) => ({
    key,
    operator: "=" as const,
    values: [value],
  }));
  return [
    ...nonNegative(spec.minReadySeconds ?? 0, "spec.minReadySeconds"),
    ...errorIf(!selector.length, () => fieldError.required("spec.selector", "")),
    ...nonNegative(spec.replicas ?? 0, "spec.replicas"),
    ...(template
      ? validateWorkloadTemplate(template, {
          selector: selector.length ? selector : "everything",
          kind: "ReplicationController",
          old: old?.template ?? undefined,
        })
      : [fieldError.required("spec.template", "")]),
  ];
}

function selectorText(object: Decoded<ReplicationController>, none: string): string {
  const selector = object.spec?.selector ?? {};
  return Object.keys(selector).length ? formatLabels(selector) : none;
}
