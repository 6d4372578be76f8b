// Namespaces: phases, the name label, and the finalizer in spec that keeps a deleted namespace
// until it is empty.
// Upstream: k8s.io/kubernetes/pkg/registry/core/namespace (strategy.go, storage/storage.go),
// pkg/apis/core/v1/defaults.go, pkg/apis/core/validation/validation.go (ValidateNamespace…).
import { type Decoded, labelKeyFaults } from "homeostat/api";
import type { Namespace } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { nameIsDnsLabel } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { keepOld } from "../definition/default-strategy.ts";
import {
  finalizerErrors,
  finalizerNameErrors,
  metadataErrors,
} from "../validation/validate-object.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";

const nameLabel = "kubernetes.io/metadata.name";
const ownFinalizer = "kubernetes";

export const namespace: KindDefinition<Decoded<Namespace>> = {
  ...gvk("v1", "Namespace"),
  returnsDeletedObject: "undocumented",
  defaults(object) {
    setNameLabel(object);
    if (!object.status?.phase) object.status = { ...object.status, phase: "Active" };
  },
  strategy: {
    validateName: nameIsDnsLabel,
    resetFields: [["f:status"]],
    prepareForCreate(object) {
      object.status = { phase: "Active" };
      const finalizers = finalizersOf(object);
      if (!finalizers.includes(ownFinalizer))
        object.spec = { ...object.spec, finalizers: [...finalizers, ownFinalizer] };
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
      ...metadataErrors(object, { namespaced: false, validateName: nameIsDnsLabel }),
      ...specFinalizerErrors(object, () => "spec.finalizers"),
      ...finalizerErrors(object),
    ],
    deletion: {
      // The first delete only marks the namespace, even without finalizers.
      holds: (object) =>
        object.metadata?.deletionTimestamp === undefined || finalizersOf(object).length > 0,
      mark(object, { now }) {
        metadataOf(object).deletionTimestamp = now;
        object.status = { ...object.status, phase: "Terminating" };
      },
    },
  },
  withoutTables: ["finalize"],
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
    extract: (object) => ({ "status.phase": object.status?.phase ?? "" }),
  },
  cells: (object, ages) => [nameOf(object), object.status?.phase ?? "", ageOf(object, ages)],
};

function setNameLabel(object: Decoded<Namespace>): void {
  const metadata = metadataOf(object);
  if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
}

const finalizersOf = ({ spec }: Decoded<Namespace>): readonly string[] => spec?.finalizers ?? [];

function specFinalizerErrors(
  object: Decoded<Namespace>,
  pathOf: (i: number) => string,
): FieldError[] {
  return finalizersOf(object).flatMap((name, i) => [
    ...labelKeyFaults(name).map((text) => fieldError.invalid(pathOf(i), name, text)),
    ...finalizerNameErrors(name, pathOf(i)),
  ]);
}

function phaseErrors(object: Decoded<Namespace>): FieldError[] {
  const phase = object.status?.phase ?? "";
  const deleting = object.metadata?.deletionTimestamp !== undefined;
  if (phase === (deleting ? "Terminating" : "Active")) return [];
  return [
    fieldError.invalid(
      "status.Phase",
      phase,
      deleting
        ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
        : "may only be 'Active' if `deletionTimestamp` is empty",
    ),
  ];
}
