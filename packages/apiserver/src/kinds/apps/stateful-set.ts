// StatefulSets: most of the spec is frozen after creation; claims are made from templates.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/statefulset/strategy.go,
// pkg/apis/apps/v1/{defaults.go,conversion.go}.
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import { forbidden } from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { claimSpecWarnings } from "../core/persistent-volume-claim/claim-spec-warnings.ts";
import { dropDisabledFields } from "../core/pod/drop-disabled-fields.ts";
import { setPodTemplateDefaults } from "../core/pod/pod-template.ts";
import { setClaimSpecDefaults } from "../core/persistent-volume-claim/claim-spec-defaults.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { formatSelector } from "../validation/label-selectors.ts";
import { nameIsDnsLabel } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  optionalNumberAt,
  setIfEmpty,
  setIfNil,
  objectAt,
} from "../../apimachinery/meta/read-fields.ts";
import {
  finalizerErrors,
  specStatusStrategy,
  statusStrategy,
} from "../definition/default-strategy.ts";
import {
  collisionErrors,
  containerCells,
  countErrors,
  createReplicaScale,
  excessErrors,
  templateOf,
  warnOfChange,
  warnOfTemplate,
} from "./selected-template.ts";
import { validateStatefulSetSpec } from "./validate-stateful-set.ts";

const changeable = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
];

export const statefulSet: KindDefinition = {
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  defaults: setDefaults,
  strategy: {
    ...specStatusStrategy,
    validateName: nameIsDnsLabel,
    prepareForCreate(object, context) {
      specStatusStrategy.prepareForCreate!(object, context);
      dropDisabled(object);
    },
    prepareForUpdate(object, old, context) {
      dropDisabled(object);
      specStatusStrategy.prepareForUpdate!(object, old, context);
    },
    validateCreate(object, context) {
      warnOfTemplate(object, context);
      warnOfRest(object, context, "");
      return [
        ...finalizerErrors(object),
        ...validateStatefulSetSpec(objectAt(object, "spec"), "create"),
      ];
    },
    validateUpdate(object, old, context) {
      warnOfChange(object, old, context);
      warnOfRest(object, context, ".Spec");
      return [
        ...finalizerErrors(object),
        ...validateStatefulSetSpec(objectAt(object, "spec"), "update", objectAt(old, "spec")),
        ...frozenErrors(objectAt(object, "spec"), objectAt(old, "spec")),
      ];
    },
  },
  subresources: {
    status: {
      ...statusStrategy,
      validateUpdate: (object, old) => [
        ...statusErrors(objectAt(object, "status")),
        ...finalizerErrors(object),
        ...collisionErrors(object, old),
      ],
    },
  },
  scale: createReplicaScale((parent) =>
    formatSelector(objectAt(objectAt(parent, "spec"), "selector")),
  ),
  cells,
};

/** A limit on unavailable pods waits for its feature gate. */
function dropDisabled(object: JsonObject): void {
  dropDisabledFields(objectAt(templateOf(object), "spec"));
  const rolling = mutableAt(objectAt(objectAt(object, "spec"), "updateStrategy"), "rollingUpdate");
  if (rolling) delete rolling["maxUnavailable"];
}

function setDefaults(object: JsonObject): void {
  const spec = objectAt(object, "spec");
  setPodTemplateDefaults(mutableAt(spec, "template"));
  for (const claim of itemsAt(spec, "volumeClaimTemplates")) setClaimDefaults(claim);
  setIfEmpty(spec, "podManagementPolicy", "OrderedReady");
  setIfNil(spec, "updateStrategy", {});
  const strategy = objectAt(spec, "updateStrategy");
  if (!strategy["type"]) {
    strategy["type"] = "RollingUpdate";
    setIfNil(strategy, "rollingUpdate", {});
  }
  const rolling = mutableAt(strategy, "rollingUpdate");
  if (strategy["type"] === "RollingUpdate" && rolling) setIfNil(rolling, "partition", 0);
  setIfNil(spec, "persistentVolumeClaimRetentionPolicy", {});
  const retention = objectAt(spec, "persistentVolumeClaimRetentionPolicy");
  setIfEmpty(retention, "whenDeleted", "Retain");
  setIfEmpty(retention, "whenScaled", "Retain");
  setIfNil(spec, "replicas", 1);
  setIfNil(spec, "revisionHistoryLimit", 10);
}

function setClaimDefaults(claim: JsonObject): void {
  claim["apiVersion"] = "v1";
  claim["kind"] = "PersistentVolumeClaim";
  const spec = mutableAt(claim, "spec");
  if (spec) setClaimSpecDefaults(spec);
  setIfNil(claim, "status", {});
  setIfEmpty(objectAt(claim, "status"), "phase", "Pending");
}

function warnOfRest(object: JsonObject, context: WriteContext, suffix: string): void {
  const spec = objectAt(object, "spec");
  for (const [i, claim] of itemsAt(spec, "volumeClaimTemplates").entries())
    for (const text of claimSpecWarnings(
      objectAt(claim, "spec"),
      `spec.volumeClaimTemplates[${i}]${suffix}`,
    ))
      context.warn(text);
  if ((optionalNumberAt(spec, "revisionHistoryLimit") ?? 0) < 0)
    context.warn(
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
    );
}

function frozenErrors(spec: JsonObject, old: JsonObject): ReturnType<typeof forbidden>[] {
  const rest = (of: JsonObject): Json =>
    Object.fromEntries(
      Object.entries(of).filter(([name, value]) => !changeable.includes(name) && isSet(value)),
    );
  if (equalJson(rest(spec), rest(old))) return [];
  return [
    forbidden(
      "spec",
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
}

function statusErrors(status: JsonObject): ReturnType<typeof countErrors> {
  const total = "cannot be greater than status.replicas";
  return [
    ...countErrors(status, [
      "replicas",
      "readyReplicas",
      "currentReplicas",
      "updatedReplicas",
      "availableReplicas",
      "observedGeneration",
      "collisionCount",
    ]),
    ...["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"].flatMap(
      (field) => excessErrors(status, field, "replicas", total),
    ),
    ...excessErrors(
      status,
      "availableReplicas",
      "readyReplicas",
      "cannot be greater than status.readyReplicas",
    ),
  ];
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const ready = `${numberAt(objectAt(object, "status"), "readyReplicas")}/${numberAt(objectAt(object, "spec"), "replicas")}`;
  return [nameOf(object), ready, ageOf(object, nowMs), ...containerCells(templateOf(object))];
}
