// ResourceSlices: what devices there are in a pool, published by its driver.
// Upstream: k8s.io/kubernetes/pkg/registry/resource/resourceslice/strategy.go,
// pkg/apis/resource/{v1/defaults.go,validation}.
import { isObject, type JsonObject } from "homeostat/api";
import { type FieldError, invalid, invalidInternal, quoteGo } from "../../registry/field-error.ts";
import type { WriteContext } from "../../registry/served-resource.ts";
import { validateNodeSelector } from "../core/pod/validate-affinity.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { ageOf, nameOf } from "../object/printing.ts";
import { hasItems, isSet, itemsAt, numberAt } from "../object/read-fields.ts";
import {
  bumpGeneration,
  finalizerErrors,
  immutable,
  metadataOf,
  objectAt,
  stringAt,
} from "../object/strategy.ts";
import { csiNameErrors } from "../storage/csi-node.ts";
import { validateSet } from "./bounded-lists.ts";
import { poolNameErrors } from "./device-names.ts";
import { nodeChoices } from "./node-choices.ts";
import {
  countersErrors,
  counterSetNameErrors,
  type NodeSelection,
  validateDevice,
} from "./validate-device.ts";

const maxDevices = 128;
/** Taints and counters cost the scheduler more. */
const maxAdvancedDevices = 64;
const maxCounterSets = 8;

const devicesOf = (slice: JsonObject): readonly JsonObject[] =>
  itemsAt(objectAt(slice, "spec"), "devices");

export const resourceSlice: BuiltinKind = {
  group: "resource.k8s.io",
  version: "v1",
  kind: "ResourceSlice",
  rules: {
    prepareForCreate(object, context) {
      metadataOf(object)["generation"] = 1;
      dropDisabledFields(object);
      dateTaints(object, context);
    },
    prepareForUpdate(object, old, context) {
      dropDisabledFields(object);
      dateTaints(object, context);
      bumpGeneration(object, old, ["spec"]);
    },
    validateCreate: (object, context) =>
      warned(object, context, [
        ...finalizerErrors(object),
        ...validateSpec(objectAt(object, "spec"), undefined),
      ]),
    validateUpdate: (object, old, context) =>
      warned(object, context, validateSpec(objectAt(object, "spec"), objectAt(old, "spec"))),
  },
  selectable: {
    names: ["spec.nodeName", "spec.driver"],
    extract: (object) => ({
      "spec.nodeName": stringAt(objectAt(object, "spec"), "nodeName"),
      "spec.driver": stringAt(objectAt(object, "spec"), "driver"),
    }),
    unknownMessage: (name) =>
      `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${name}`,
  },
  cells(object, nowMs) {
    const spec = objectAt(object, "spec");
    return [
      nameOf(object),
      stringAt(spec, "nodeName"),
      stringAt(spec, "driver"),
      stringAt(objectAt(spec, "pool"), "name"),
      ageOf(object, nowMs),
    ];
  },
};

/** Lists as attributes, and mappings to resources of the node, are behind gates that are off. */
function dropDisabledFields(slice: JsonObject): void {
  for (const device of devicesOf(slice)) {
    delete device["nodeAllocatableResourceMappings"];
    for (const attribute of Object.values(objectAt(device, "attributes")))
      if (isObject(attribute))
        for (const form of ["bools", "ints", "strings", "versions"]) delete attribute[form];
  }
}

function dateTaints(slice: JsonObject, { now }: WriteContext): void {
  for (const device of devicesOf(slice))
    for (const taint of itemsAt(device, "taints"))
      if (!isSet(taint["timeAdded"])) taint["timeAdded"] = now;
}

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  const driver = stringAt(objectAt(object, "spec"), "driver");
  if (!errors.length && driver !== driver.toLowerCase())
    context.warn(
      `spec.driver: driver names should be lowercase; ${quoteGo(driver)} contains uppercase characters`,
    );
  return errors;
}

function validateSpec(spec: JsonObject, old: JsonObject | undefined): FieldError[] {
  const driver = stringAt(spec, "driver");
  return [
    ...csiNameErrors(driver, "spec.driver"),
    ...poolErrors(objectAt(spec, "pool")),
    ...(old ? identityErrors(spec, old) : []),
    ...nodeChoices(spec, "spec", {
      fields: ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"],
      emptyName: "must be either unset or set to a non-empty string",
      selector: selectorErrors,
      detail:
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
      several: ", but multiple fields are set",
    }),
    ...(isSet(spec["sharedCounters"]) && isSet(spec["devices"])
      ? [invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")]
      : []),
    ...contentErrors(spec, old),
  ];
}

function poolErrors(pool: JsonObject): FieldError[] {
  const count = numberAt(pool, "resourceSliceCount");
  const generation = numberAt(pool, "generation");
  return [
    ...poolNameErrors(stringAt(pool, "name"), "spec.pool.name"),
    ...(count <= 0
      ? [invalid("spec.pool.resourceSliceCount", count, "must be greater than zero")]
      : []),
    ...(generation < 0
      ? [invalid("spec.pool.generation", generation, "must be greater than or equal to zero")]
      : []),
  ];
}

/** Pool, driver and node are what a slice is; another one is another slice. */
function identityErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  return [
    ...immutable(
      "spec.pool.name",
      stringAt(objectAt(spec, "pool"), "name"),
      stringAt(objectAt(old, "pool"), "name"),
    ),
    ...immutable("spec.driver", stringAt(spec, "driver"), stringAt(old, "driver")),
    ...immutable("spec.nodeName", spec["nodeName"] ?? null, old["nodeName"] ?? null),
  ];
}

/** One term only, so that the selectors of several slices can be merged. */
function selectorErrors(selector: JsonObject, path: string): readonly FieldError[] {
  const single = itemsAt(selector, "nodeSelectorTerms").length === 1;
  return [
    ...validateNodeSelector(selector, path),
    ...(single
      ? []
      : [
          invalidInternal(
            `${path}.nodeSelectorTerms`,
            ["[]core.NodeSelectorTerm", selector["nodeSelectorTerms"]],
            "must have exactly one node selector term",
          ),
        ]),
  ];
}

function contentErrors(spec: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const devices = itemsAt(spec, "devices");
  const before = old ? itemsAt(old, "devices") : [];
  const isAdvanced = devices.some(
    (device) => hasItems(device["taints"]) || hasItems(device["consumesCounters"]),
  );
  const selection: NodeSelection =
    spec["perDeviceNodeSelection"] === true ? "per device" : "per slice";
  const name = (each: JsonObject): string => stringAt(each, "name");
  const oldOf = (device: JsonObject): JsonObject | undefined =>
    before.find((each) => name(each) === name(device));
  return [
    ...validateSet(
      devices,
      isAdvanced ? maxAdvancedDevices : maxDevices,
      (device, path) => validateDevice(device, oldOf(device), path, selection),
      name,
      "spec.devices",
    ),
    ...validateSet(
      itemsAt(spec, "sharedCounters"),
      maxCounterSets,
      (set, path) => [
        ...counterSetNameErrors(name(set), `${path}.name`),
        ...countersErrors(objectAt(set, "counters"), `${path}.counters`),
      ],
      name,
      "spec.sharedCounters",
    ),
  ];
}
