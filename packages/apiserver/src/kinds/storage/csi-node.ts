// CSI nodes and storage capacities: the drivers of a node, and the storage available per topology
// segment.
// Upstream: k8s.io/kubernetes/pkg/registry/storage/{csinode,csistoragecapacity}/strategy.go,
// pkg/apis/storage/validation.
import { type Decoded, dnsSubdomainFaults, equalJson, labelKeyFaults } from "homeostat/api";
import type { CSINode, CSINodeDriver, CSIStorageCapacity } from "homeostat/k8s/storage/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { nodeSelectorWarnings } from "../validation/deprecated-node-labels.ts";
import { csiNameErrors } from "../validation/csi-driver-name.ts";
import { validateLabelSelector } from "../validation/label-selectors.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { parseQuantity } from "../../apimachinery/values/quantity.ts";
import { isSet, withoutFields } from "../../apimachinery/meta/read-fields.ts";
import { immutable, validateWholeObject } from "../validation/validate-object.ts";
import { createUniqueRule, nonNegative } from "../validation/field-rules.ts";

const maxNodeIdBytes = 256;

export const csiNode: KindDefinition<Decoded<CSINode>> = {
  ...gvk("storage.k8s.io/v1", "CSINode"),
  returnsDeletedObject: true,
  strategy: {
    allowUnconditionalUpdate: false,
    ...validateWholeObject({
      namespaced: false,
      metadataChanges: "common",
      validate: driverErrors,
      validateChange: driverChangeErrors,
    }),
  },
  cells: (object, ages) => [nameOf(object), driversOf(object).length, ageOf(object, ages)],
};

const driversOf = (object: Decoded<CSINode>): readonly Decoded<CSINodeDriver>[] =>
  object.spec?.drivers ?? [];

function driverErrors(object: Decoded<CSINode>): FieldError[] {
  const unique = createUniqueRule();
  return eachItem(driversOf(object), "spec.drivers", (driver, path) => {
    const name = driver.name ?? "";
    return [
      ...csiNameErrors(name, `${path}.name`),
      ...nodeIdErrors(driver.nodeID ?? "", `${path}.nodeID`),
      ...nonNegative(driver.allocatable?.count ?? 0, `${path}.allocatable.count`),
      ...unique(name, `${path}.name`),
      ...topologyKeyErrors(driver.topologyKeys ?? [], path),
    ];
  });
}

function nodeIdErrors(id: string, path: string): FieldError[] {
  if (!id) return [fieldError.required(path, "")];
  return errorIf(Buffer.byteLength(id) > maxNodeIdBytes, () =>
    fieldError.invalid(path, id, `must be ${maxNodeIdBytes} characters or less`),
  );
}

function topologyKeyErrors(keys: readonly string[], path: string): FieldError[] {
  return keys.flatMap((key, i) => [
    ...errorIf(!key, () => fieldError.required(path, "")),
    ...errorIf(keys.indexOf(key) < i, () => fieldError.duplicate(path, key)),
    ...labelKeyFaults(key).map((fault) => fieldError.invalid(path, key, fault)),
  ]);
}

/** Only `allocatable` of a driver may change. */
function driverChangeErrors(object: Decoded<CSINode>, old: Decoded<CSINode>): FieldError[] {
  const fixed = (driver: Decoded<CSINodeDriver>): Decoded<CSINodeDriver> =>
    withoutFields(driver, "allocatable");
  return driversOf(old).flatMap((before) =>
    driversOf(object)
      .filter(
        (driver) =>
          (driver.name ?? "") === (before.name ?? "") && !equalJson(fixed(driver), fixed(before)),
      )
      .map((driver) =>
        fieldError.invalidInternal(
          "spec.drivers",
          ["storage.CSINodeDriver", { ...driver, allocatable: null }],
          "field is immutable",
        ),
      ),
  );
}

export const csiStorageCapacity: KindDefinition<Decoded<CSIStorageCapacity>> = {
  ...gvk("storage.k8s.io/v1", "CSIStorageCapacity"),
  strategy: {
    allowUnconditionalUpdate: false,
    ...validateWholeObject({
      namespaced: true,
      validate: capacityErrors,
      validateChange: (object, old) =>
        (["nodeTopology", "storageClassName"] as const).flatMap((field) =>
          immutable(field, object[field] ?? null, old[field] ?? null),
        ),
    }),
    warningsOnCreate: topologyWarnings,
    warningsOnUpdate: topologyWarnings,
  },
};

function capacityErrors(
  object: Decoded<CSIStorageCapacity>,
  old: Decoded<CSIStorageCapacity> | undefined,
): FieldError[] {
  const wasInvalid = validateLabelSelector(old?.nodeTopology ?? {}, "").length > 0;
  const invalidValues = wasInvalid ? "allowed" : "refused";
  const className = object.storageClassName ?? "";
  const capacity = object.capacity;
  return [
    ...(object.nodeTopology
      ? validateLabelSelector(object.nodeTopology, "nodeTopology", { invalidValues })
      : []),
    ...dnsSubdomainFaults(className).map((fault) =>
      fieldError.invalid("storageClassName", className, fault),
    ),
    ...errorIf(isSet(capacity) && parseQuantity(capacity).nano < 0n, () =>
      fieldError.invalid("capacity", capacity, "must be greater than or equal to 0"),
    ),
  ];
}

function topologyWarnings({ nodeTopology }: Decoded<CSIStorageCapacity>): readonly string[] {
  return nodeSelectorWarnings(nodeTopology ?? {}, "nodeTopology");
}
