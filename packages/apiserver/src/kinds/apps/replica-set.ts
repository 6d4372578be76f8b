// ReplicaSets.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/replicaset/strategy.go,
// pkg/apis/apps/v1/{defaults.go,conversion.go}, pkg/apis/apps/validation.
import type { Decoded } from "homeostat/api";
import type { ReplicaSet, ReplicaSetSpec } from "homeostat/k8s/apps/v1";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { setPodTemplateDefaults } from "../core/pod/pod-template-spec.ts";
import { createReplicaScale } from "../core/workload/replica-scale.ts";
import { replicaStatusStrategy } from "../core/workload/replica-counts.ts";
import {
  validateSelectedTemplate,
  validateWorkloadSelector,
} from "../core/workload/validate-workload-template.ts";
import { workloadStrategy } from "../core/workload/workload-strategy.ts";
import { replicaCells, selectorCell, setNoReplicas } from "../core/workload/workload.ts";
import { validateWholeObject } from "../validation/validate-object.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { formatSelector, immutableSelector } from "../validation/label-selectors.ts";

export const replicaSet: KindDefinition<Decoded<ReplicaSet>> = {
  ...gvk("apps/v1", "ReplicaSet"),
  convertUnset: setNoReplicas,
  defaults({ spec }) {
    if (!spec) return;
    setPodTemplateDefaults(spec.template);
    spec.replicas ??= 1;
  },
  strategy: {
    ...workloadStrategy,
    ...validateWholeObject({
      validate: ({ spec }, old) => validateSpec(spec ?? {}, old && (old.spec ?? {})),
      validateChange: ({ spec }, { spec: old }) =>
        immutableSelector("spec.selector", spec?.selector, old?.selector),
    }),
  },
  subresources: { status: replicaStatusStrategy },
  scale: createReplicaScale(({ spec }) => formatSelector(spec?.selector ?? {})),
  cells: (object, ages) => [...replicaCells(object, ages), selectorCell(object.spec?.selector)],
};

function validateSpec(spec: Decoded<ReplicaSetSpec>, old?: Decoded<ReplicaSetSpec>): FieldError[] {
  return [
    ...nonNegative(spec.replicas ?? 0, "spec.replicas"),
    ...nonNegative(spec.minReadySeconds ?? 0, "spec.minReadySeconds"),
    ...validateWorkloadSelector(spec.selector, "deployment"),
    ...validateSelectedTemplate(spec, old),
  ];
}
