// CSI nodes and storage capacities: which drivers a node has, and how much there is to be had
// where.
// Upstream: k8s.io/kubernetes/pkg/registry/storage/{csinode,csistoragecapacity}/strategy.go,
// pkg/apis/storage/validation.
import {
  dnsSubdomainFaults,
  equalJson,
  isObject,
  type JsonObject,
  labelKeyFaults,
} from "homeostat/api";
import {
  duplicate,
  type FieldError,
  invalid,
  invalidInternal,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nodeSelectorWarnings } from "../validation/deprecated-node-labels.ts";
import { csiNameErrors } from "../validation/csi-driver-name.ts";
import { validateLabelSelector } from "../validation/label-selectors.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { parseQuantity } from "../../apimachinery/values/quantity.ts";
import {
  isSet,
  itemsAt,
  textsAt,
  withoutFields,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { finalizerErrors } from "../definition/default-strategy.ts";

const group = "storage.k8s.io";
const maxNodeIdBytes = 256;

export const csiNode: KindDefinition = {
  group,
  version: "v1",
  kind: "CSINode",
  returnsDeletedObject: true,
  strategy: {
    allowUnconditionalUpdate: false,
    validateCreate: (object) => [...finalizerErrors(object), ...driverErrors(object)],
    validateUpdate: (object, old) => [
      ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
      ...finalizerErrors(object),
      ...driverErrors(object),
      ...driverChangeErrors(object, old),
    ],
  },
  cells: (object, nowMs) => [nameOf(object), driversOf(object).length, ageOf(object, nowMs)],
};

const driversOf = (object: JsonObject): readonly JsonObject[] =>
  itemsAt(objectAt(object, "spec"), "drivers");

function driverErrors(object: JsonObject): FieldError[] {
  const names = new Set<string>();
  return driversOf(object).flatMap((driver, i) => {
    const path = `spec.drivers[${i}]`;
    const name = stringAt(driver, "name");
    const count = objectAt(driver, "allocatable")["count"];
    const errors = [
      ...csiNameErrors(name, `${path}.name`),
      ...nodeIdErrors(stringAt(driver, "nodeID"), `${path}.nodeID`),
    ];
    if (isSet(count) && Number(count) < 0)
      errors.push(
        invalid(`${path}.allocatable.count`, count, "must be greater than or equal to 0"),
      );
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    return [...errors, ...topologyKeyErrors(textsAt(driver, "topologyKeys"), path)];
  });
}

function nodeIdErrors(id: string, path: string): FieldError[] {
  if (!id) return [required(path, "")];
  return Buffer.byteLength(id) > maxNodeIdBytes
    ? [invalid(path, id, `must be ${maxNodeIdBytes} characters or less`)]
    : [];
}

function topologyKeyErrors(keys: readonly string[], path: string): FieldError[] {
  return keys.flatMap((key, i) => [
    ...(key ? [] : [required(path, "")]),
    ...(keys.indexOf(key) < i ? [duplicate(path, key)] : []),
    ...labelKeyFaults(key).map((fault) => invalid(path, key, fault)),
  ]);
}

/** What a driver can hold may change, nothing else of it. */
function driverChangeErrors(object: JsonObject, old: JsonObject): FieldError[] {
  const fixed = (driver: JsonObject): JsonObject => withoutFields(driver, "allocatable");
  return driversOf(old).flatMap((before) =>
    driversOf(object)
      .filter(
        (driver) =>
          stringAt(driver, "name") === stringAt(before, "name") &&
          !equalJson(fixed(driver), fixed(before)),
      )
      .map((driver) =>
        invalidInternal(
          "spec.drivers",
          ["storage.CSINodeDriver", { ...driver, allocatable: null }],
          "field is immutable",
        ),
      ),
  );
}

export const csiStorageCapacity: KindDefinition = {
  group,
  version: "v1",
  kind: "CSIStorageCapacity",
  strategy: {
    allowUnconditionalUpdate: false,
    validateCreate: (object, context) =>
      warned(object, context, [...finalizerErrors(object), ...capacityErrors(object, "refused")]),
    validateUpdate: (object, old, context) =>
      warned(object, context, [
        ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
        ...finalizerErrors(object),
        ...capacityErrors(
          object,
          validateLabelSelector(objectAt(old, "nodeTopology"), "").length ? "allowed" : "refused",
        ),
        ...["nodeTopology", "storageClassName"].flatMap((field) =>
          equalJson(object[field] ?? null, old[field] ?? null)
            ? []
            : [invalid(field, object[field] ?? null, "field is immutable")],
        ),
      ]),
  },
};

function capacityErrors(object: JsonObject, invalidValues: "refused" | "allowed"): FieldError[] {
  const className = stringAt(object, "storageClassName");
  const capacity = object["capacity"];
  return [
    ...(isObject(object["nodeTopology"])
      ? validateLabelSelector(object["nodeTopology"], "nodeTopology", { invalidValues })
      : []),
    ...dnsSubdomainFaults(className).map((fault) => invalid("storageClassName", className, fault)),
    ...(isSet(capacity) && parseQuantity(String(capacity)).nano < 0n
      ? [invalid("capacity", capacity, "must be greater than or equal to 0")]
      : []),
  ];
}

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (!errors.length)
    nodeSelectorWarnings(objectAt(object, "nodeTopology"), "nodeTopology").forEach(context.warn);
  return errors;
}
