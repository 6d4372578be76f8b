// StatefulSets: most of the spec is immutable, and claims come from templates.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/statefulset/strategy.go,
// pkg/apis/apps/v1/{defaults.go,conversion.go}.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { type Decoded, type Json } from "homeostat/api";
import type { StatefulSet, StatefulSetSpec, StatefulSetStatus } from "homeostat/k8s/apps/v1";
import type { PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import { eachItem, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { claimSpecWarnings } from "../core/persistent-volume-claim/claim-spec-warnings.ts";
import { setClaimSpecDefaults } from "../core/persistent-volume-claim/claim-spec-defaults.ts";
import { setPodTemplateDefaults } from "../core/pod/pod-template-spec.ts";
import { createReplicaScale } from "../core/workload/replica-scale.ts";
import { validateCollisionCount, validateStatusCounts } from "../core/workload/replica-counts.ts";
import { dropDisabledTemplateFields, gatedStrategy } from "../core/workload/workload-strategy.ts";
import { changedTemplateWarnings, templateWarnings } from "../core/workload/workload-warnings.ts";
import { containerCells, setNoReplicas, templateOf } from "../core/workload/workload.ts";
import { statusStrategy } from "../definition/default-strategy.ts";
import { finalizerErrors, validateWholeObject } from "../validation/validate-object.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { formatSelector } from "../validation/label-selectors.ts";
import { nameIsDnsLabel } from "../validation/names.ts";
import { validateStatefulSetSpec, validateStatefulSetSpecUpdate } from "./validate-stateful-set.ts";

export const statefulSet: KindDefinition<Decoded<StatefulSet>> = {
  ...gvk("apps/v1", "StatefulSet"),
  convertUnset: setNoReplicas,
  defaults: setDefaults,
  strategy: {
    ...gatedStrategy(dropDisabledSetFields),
    ...validateWholeObject({
      validateName: nameIsDnsLabel,
      validate: ({ spec }, old) => validateStatefulSetSpec(spec ?? {}, old && (old.spec ?? {})),
      validateChange: ({ spec }, old) => validateStatefulSetSpecUpdate(spec ?? {}, old.spec ?? {}),
    }),
    warningsOnCreate: (object) => [
      ...templateWarnings(object),
      ...specWarnings(object.spec ?? {}, ""),
    ],
    warningsOnUpdate: (object, old) => [
      ...changedTemplateWarnings(object, old),
      ...specWarnings(object.spec ?? {}, ".Spec"),
    ],
  },
  subresources: {
    status: {
      ...statusStrategy,
      validateUpdate: (object, old) => [
        ...validateStatus(object.status ?? {}),
        ...finalizerErrors(object),
        ...validateCollisionCount(object, old),
      ],
    },
  },
  scale: createReplicaScale(({ spec }) => formatSelector(spec?.selector ?? {})),
  cells,
};

/** The feature gate MaxUnavailableStatefulSet is off. */
function dropDisabledSetFields(object: Decoded<StatefulSet>): void {
  delete object.spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
  dropDisabledTemplateFields(object);
}

function setDefaults({ spec }: Decoded<StatefulSet>): void {
  if (!spec) return;
  setPodTemplateDefaults(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) setClaimDefaults(claim);
  spec.podManagementPolicy ||= "OrderedReady";
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === "RollingUpdate" && strategy.rollingUpdate)
    strategy.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= "Retain";
  retention.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
}

function setClaimDefaults(claim: Decoded<PersistentVolumeClaim>): void {
  claim.apiVersion = "v1";
  claim.kind = "PersistentVolumeClaim";
  if (claim.spec) setClaimSpecDefaults(claim.spec);
  const status = (claim.status ??= {});
  status.phase ||= "Pending";
}

/** `claimPath` is what upstream writes after the path of a claim template. */
function specWarnings(spec: Decoded<StatefulSetSpec>, claimPath: "" | ".Spec"): string[] {
  return [
    ...eachItem(spec.volumeClaimTemplates, "spec.volumeClaimTemplates", (claim, at) =>
      claimSpecWarnings(claim.spec ?? {}, `${at}${claimPath}`),
    ),
    ...((spec.revisionHistoryLimit ?? 0) < 0
      ? [
          "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
        ]
      : []),
  ];
}

function validateStatus(status: Decoded<StatefulSetStatus>): FieldError[] {
  return validateStatusCounts(status, {
    counts: [
      "replicas",
      "readyReplicas",
      "currentReplicas",
      "updatedReplicas",
      "availableReplicas",
      "observedGeneration",
      "collisionCount",
    ],
    bounded: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
    readyPath: "status.readyReplicas",
  });
}

function cells(object: Decoded<StatefulSet>, ages: CellAges): readonly Json[] {
  return [
    nameOf(object),
    `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`,
    ageOf(object, ages),
    ...containerCells(templateOf(object)),
  ];
}
