// The parts that the strategies of workload kinds share.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/{deployment,replicaset}/strategy.go,
// pkg/registry/core/replicationcontroller/strategy.go.
import type { Json } from "homeostat/api";
import { type SpecStatusObject, specStatusStrategy } from "../../definition/default-strategy.ts";
import type { StrategyOverrides } from "../../definition/kind-definition.ts";
import { dropDisabledFields } from "../pod/drop-disabled-fields.ts";
import { changedTemplateWarnings, nameWarnings, templateWarnings } from "./workload-warnings.ts";
import { templateOf, type Workload } from "./workload.ts";

/** {@link specStatusStrategy} of a kind that has fields behind feature gates. */
export const gatedStrategy = <T extends SpecStatusObject>(
  dropDisabled: (object: T) => void,
): StrategyOverrides<T> => ({
  ...specStatusStrategy,
  prepareForCreate(object, context) {
    specStatusStrategy.prepareForCreate!(object, context);
    dropDisabled(object);
  },
  prepareForUpdate(object, old, context) {
    dropDisabled(object);
    specStatusStrategy.prepareForUpdate!(object, old, context);
  },
});

/** The strategy of a workload whose generation follows its spec. */
export const workloadStrategy: StrategyOverrides<Workload & { status?: Json }> = {
  ...gatedStrategy((workload: Workload) => dropDisabledTemplateFields(workload)),
  warningsOnCreate: (workload) => [...nameWarnings(workload), ...templateWarnings(workload)],
  warningsOnUpdate: changedTemplateWarnings,
};

/** Drops fields of the pod template whose feature gates are off. */
export const dropDisabledTemplateFields = (workload: Workload): void =>
  dropDisabledFields(templateOf(workload).spec ?? {});
