// Deployments: annotations raise the generation, too, and the status endpoint keeps labels.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/deployment/strategy.go,
// pkg/apis/apps/v1/defaults.go, pkg/apis/apps/validation.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import type { Decoded, Json } from "homeostat/api";
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from "homeostat/k8s/apps/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { setPodTemplateDefaults } from "../core/pod/pod-template-spec.ts";
import { createReplicaScale } from "../core/workload/replica-scale.ts";
import { validateCollisionCount, validateStatusCounts } from "../core/workload/replica-counts.ts";
import {
  validateSelectedTemplate,
  validateWorkloadSelector,
} from "../core/workload/validate-workload-template.ts";
import { workloadStrategy } from "../core/workload/workload-strategy.ts";
import { containerCells, setNoReplicas, templateOf } from "../core/workload/workload.ts";
import { bumpGeneration, keepOld } from "../definition/default-strategy.ts";
import { finalizerErrors, validateWholeObject } from "../validation/validate-object.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { formatSelector, immutableSelector } from "../validation/label-selectors.ts";
import * as intOrPercent from "../validation/int-or-percent.ts";

export const deployment: KindDefinition<Decoded<Deployment>> = {
  ...gvk("apps/v1", "Deployment"),
  convertUnset: setNoReplicas,
  defaults: setDefaults,
  strategy: {
    ...workloadStrategy,
    prepareForUpdate(object, old, context) {
      workloadStrategy.prepareForUpdate!(object, old, context);
      bumpGeneration(withAnnotations(object), withAnnotations(old), ["spec", "annotations"]);
    },
    ...validateWholeObject({
      validate: ({ spec }, old) => validateSpec(spec ?? {}, old && (old.spec ?? {})),
      validateChange: ({ spec }, { spec: old }) =>
        immutableSelector("spec.selector", spec?.selector, old?.selector),
    }),
  },
  subresources: {
    status: {
      resetFields: [["f:spec"], ["f:metadata", "f:labels"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        keepOld(metadataOf(object), metadataOf(old), "labels");
      },
      validateUpdate: (object, old) => [
        ...finalizerErrors(object),
        ...validateStatus(object.status ?? {}),
        ...validateCollisionCount(object, old),
      ],
    },
  },
  scale: createReplicaScale(({ spec }) => formatSelector(spec?.selector ?? {})),
  cells,
};

/** The controller copies annotations to ReplicaSets, so they count for the generation. */
const withAnnotations = (
  object: Decoded<Deployment>,
): Decoded<Deployment> & { annotations: Json } => ({
  ...object,
  annotations: object.metadata?.annotations ?? {},
});

function setDefaults({ spec }: Decoded<Deployment>): void {
  if (!spec) return;
  setPodTemplateDefaults(spec.template);
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= "25%";
    rolling.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}

function validateSpec(spec: Decoded<DeploymentSpec>, old?: Decoded<DeploymentSpec>): FieldError[] {
  const minReady = spec.minReadySeconds ?? 0;
  const deadline = spec.progressDeadlineSeconds;
  return [
    ...nonNegative(spec.replicas ?? 0, "spec.replicas"),
    ...validateWorkloadSelector(spec.selector, "deployment"),
    ...validateSelectedTemplate(spec, old),
    ...validateStrategy(spec.strategy ?? {}),
    ...nonNegative(minReady, "spec.minReadySeconds"),
    ...nonNegative(spec.revisionHistoryLimit ?? 0, "spec.revisionHistoryLimit"),
    ...nonNegative(deadline ?? 0, "spec.progressDeadlineSeconds"),
    ...errorIf(isSet(deadline) && deadline <= minReady, () =>
      fieldError.invalid(
        "spec.progressDeadlineSeconds",
        deadline,
        "must be greater than minReadySeconds",
      ),
    ),
  ];
}

function validateStrategy(strategy: Decoded<DeploymentStrategy>): FieldError[] {
  const rolling = strategy.rollingUpdate;
  switch (strategy.type) {
    case "Recreate":
      return errorIf(rolling, () =>
        fieldError.forbidden(
          "spec.strategy.rollingUpdate",
          "may not be specified when strategy `type` is 'Recreate'",
        ),
      );
    case "RollingUpdate":
      return rolling
        ? validateRollingUpdate(rolling)
        : [
            fieldError.required(
              "spec.strategy.rollingUpdate",
              "this should be defaulted and never be nil",
            ),
          ];
    default:
      return [
        fieldError.notSupportedInternal(
          "spec.strategy",
          ["apps.DeploymentStrategy", strategy],
          ["Recreate", "RollingUpdate"],
        ),
      ];
  }
}

function validateRollingUpdate(rolling: Decoded<RollingUpdateDeployment>): FieldError[] {
  const path = "spec.strategy.rollingUpdate";
  const unavailable = rolling.maxUnavailable;
  const surge = rolling.maxSurge;
  return [
    ...intOrPercent.validatePositive(unavailable, `${path}.maxUnavailable`),
    ...intOrPercent.validatePositive(surge, `${path}.maxSurge`),
    ...errorIf(intOrPercent.valueOf(unavailable) === 0 && intOrPercent.valueOf(surge) === 0, () =>
      fieldError.invalid(
        `${path}.maxUnavailable`,
        unavailable,
        "may not be 0 when `maxSurge` is 0",
      ),
    ),
    ...intOrPercent.validateNotMoreThan100Percent(unavailable, `${path}.maxUnavailable`),
  ];
}

function validateStatus(status: Decoded<DeploymentStatus>): FieldError[] {
  return validateStatusCounts(status, {
    counts: [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ],
    bounded: ["updatedReplicas", "readyReplicas", "availableReplicas"],
  });
}

function cells(object: Decoded<Deployment>, ages: CellAges): readonly Json[] {
  const spec = object.spec ?? {};
  const status = object.status ?? {};
  return [
    nameOf(object),
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    status.updatedReplicas ?? 0,
    status.availableReplicas ?? 0,
    ageOf(object, ages),
    ...containerCells(templateOf(object)),
    formatSelector(spec.selector ?? {}),
  ];
}
