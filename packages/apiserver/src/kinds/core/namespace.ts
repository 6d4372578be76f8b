// Namespaces: phases, the finalizer in spec that holds deletion until the namespace is empty, and
// the name label.
// Upstream: k8s.io/kubernetes/pkg/registry/core/namespace (strategy.go, storage/storage.go),
// pkg/apis/core/v1/defaults.go, pkg/apis/core/validation/validation.go (ValidateNamespace…).
import { type Json, type JsonObject, labelKeyFaults } from "homeostat/api";
import { type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nameIsDnsLabel } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { finalizerErrors, finalizerNameErrors, keepOld } from "../definition/default-strategy.ts";
import { objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";

const nameLabel = "kubernetes.io/metadata.name";
const ownFinalizer = "kubernetes";

export const namespace: KindDefinition = {
  group: "",
  version: "v1",
  kind: "Namespace",
  returnsDeletedObject: true,
  defaults(object) {
    setNameLabel(object);
    if (!stringAt(objectAt(object, "status"), "phase"))
      object["status"] = { ...objectAt(object, "status"), phase: "Active" };
  },
  strategy: {
    validateName: nameIsDnsLabel,
    deleteReturnsObject: true,
    resetFields: [["f:status"]],
    prepareForCreate(object) {
      object["status"] = { phase: "Active" };
      const finalizers = finalizersOf(object);
      if (!finalizers.includes(ownFinalizer))
        object["spec"] = { ...objectAt(object, "spec"), finalizers: [...finalizers, ownFinalizer] };
      setNameLabel(object);
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "spec");
      keepOld(object, old, "status");
      setNameLabel(object);
    },
    validateCreate: (object) => [
      ...finalizerErrors(object),
      ...specFinalizerErrors(object, () => "spec.finalizers"),
    ],
    validateUpdate: (object) => [
      ...validateObjectMeta(object, { namespaced: false }, nameIsDnsLabel),
      ...finalizerErrors(object),
      ...specFinalizerErrors(object, () => "spec.finalizers"),
      ...finalizerErrors(object),
    ],
    deletion: {
      // The first delete only marks, even where nothing holds the namespace.
      holds: (object) =>
        metadataOf(object)["deletionTimestamp"] === undefined || finalizersOf(object).length > 0,
      mark(object, { now }) {
        metadataOf(object)["deletionTimestamp"] = now;
        object["status"] = { ...objectAt(object, "status"), phase: "Terminating" };
      },
    },
  },
  subresources: {
    status: {
      resetFields: [["f:spec"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        setNameLabel(object);
      },
      validateUpdate: (object) => [...finalizerErrors(object), ...phaseErrors(object)],
    },
    finalize: {
      resetFields: [["f:status"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "status");
        setNameLabel(object);
      },
      validateUpdate: (object) => [
        ...finalizerErrors(object),
        ...specFinalizerErrors(object, (i) => `spec.finalizers[${i}]`),
      ],
    },
  },
  selectable: {
    names: ["status.phase"],
    extract: (object) => ({ "status.phase": stringAt(objectAt(object, "status"), "phase") }),
  },
  cells: (object, nowMs) => [
    nameOf(object),
    stringAt(objectAt(object, "status"), "phase"),
    ageOf(object, nowMs),
  ],
};

function setNameLabel(object: JsonObject): void {
  const metadata = metadataOf(object);
  const name = stringAt(metadata, "name");
  if (name) metadata["labels"] = { ...objectAt(metadata, "labels"), [nameLabel]: name };
}

function finalizersOf(object: JsonObject): readonly Json[] {
  const list = objectAt(object, "spec")["finalizers"];
  return Array.isArray(list) ? list : [];
}

function specFinalizerErrors(object: JsonObject, pathOf: (i: number) => string): FieldError[] {
  return finalizersOf(object).flatMap((item, i) => {
    const name = String(item);
    return [
      ...labelKeyFaults(name).map((text) => invalid(pathOf(i), name, text)),
      ...finalizerNameErrors(name, pathOf(i)),
    ];
  });
}

function phaseErrors(object: JsonObject): FieldError[] {
  const phase = stringAt(objectAt(object, "status"), "phase");
  const deleting = metadataOf(object)["deletionTimestamp"] !== undefined;
  if (phase === (deleting ? "Terminating" : "Active")) return [];
  return [
    invalid(
      "status.Phase",
      phase,
      deleting
        ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
        : "may only be 'Active' if `deletionTimestamp` is empty",
    ),
  ];
}
