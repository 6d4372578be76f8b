// ResourceSlices: the devices of a pool, published by its driver.
// Upstream: k8s.io/kubernetes/pkg/registry/resource/resourceslice/strategy.go,
// pkg/apis/resource/{v1/defaults.go,validation}.
import type { Decoded } from "homeostat/api";
import type { NodeSelector } from "homeostat/k8s/core/v1";
import type {
  Device,
  ResourcePool,
  ResourceSlice,
  ResourceSliceSpec,
} from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError, quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { validateNodeSelector } from "../core/pod/validation/validate-affinity.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { bumpGeneration } from "../definition/default-strategy.ts";
import { finalizerErrors, immutable } from "../validation/validate-object.ts";
import { csiNameErrors } from "../validation/csi-driver-name.ts";
import { validateSet } from "./bounded-lists.ts";
import { poolNameErrors } from "./device-names.ts";
import { validateNodeSelection } from "./validate-node-selection.ts";
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

const devicesOf = (slice: Decoded<ResourceSlice>): readonly Decoded<Device>[] =>
  slice.spec?.devices ?? [];

export const resourceSlice: KindDefinition<Decoded<ResourceSlice>> = {
  ...gvk("resource.k8s.io/v1", "ResourceSlice"),
  returnsDeletedObject: true,
  strategy: {
    prepareForCreate(object, context) {
      metadataOf(object).generation = 1;
      dropDisabledFields(object);
      setTaintTimes(object, context);
    },
    prepareForUpdate(object, old, context) {
      dropDisabledFields(object);
      setTaintTimes(object, context);
      bumpGeneration(object, old, ["spec"]);
    },
    validateCreate: (object) => [
      ...finalizerErrors(object),
      ...validateSpec(object.spec ?? {}, undefined),
    ],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...validateSpec(object.spec ?? {}, old.spec ?? {}),
    ],
    warningsOnCreate: driverWarnings,
    warningsOnUpdate: driverWarnings,
  },
  selectable: {
    names: ["spec.nodeName", "spec.driver"],
    extract: (object) => ({
      "spec.nodeName": object.spec?.nodeName ?? "",
      "spec.driver": object.spec?.driver ?? "",
    }),
    unknownMessage: (name) =>
      `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${name}`,
  },
  cells(object, ages) {
    const spec = object.spec ?? {};
    return [
      nameOf(object),
      spec.nodeName ?? "",
      spec.driver ?? "",
      spec.pool?.name ?? "",
      ageOf(object, ages),
    ];
  },
};

/** The gates of list attributes and of mappings to resources of the node are off. */
function dropDisabledFields(slice: Decoded<ResourceSlice>): void {
  for (const device of devicesOf(slice)) {
    delete device.nodeAllocatableResourceMappings;
    for (const attribute of Object.values(device.attributes ?? {}))
      for (const list of ["bools", "ints", "strings", "versions"] as const)
        delete attribute?.[list];
  }
}

function setTaintTimes(slice: Decoded<ResourceSlice>, { now }: WriteContext): void {
  for (const device of devicesOf(slice))
    for (const taint of device.taints ?? []) if (!isSet(taint.timeAdded)) taint.timeAdded = now;
}

function driverWarnings({ spec }: Decoded<ResourceSlice>): readonly string[] {
  const driver = spec?.driver ?? "";
  return driver === driver.toLowerCase()
    ? []
    : [
        `spec.driver: driver names should be lowercase; ${quoteGo(driver)} contains uppercase characters`,
      ];
}

function validateSpec(
  spec: Decoded<ResourceSliceSpec>,
  old: Decoded<ResourceSliceSpec> | undefined,
): FieldError[] {
  const driver = spec.driver ?? "";
  return [
    ...csiNameErrors(driver, "spec.driver"),
    ...poolErrors(spec.pool ?? {}),
    ...(old ? identityErrors(spec, old) : []),
    ...validateNodeSelection(spec, "spec", {
      fields: ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"],
      emptyName: "must be either unset or set to a non-empty string",
      validateSelector: selectorErrors,
      detail:
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
      several: ", but multiple fields are set",
    }),
    ...errorIf(isSet(spec.sharedCounters) && isSet(spec.devices), () =>
      fieldError.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed"),
    ),
    ...contentErrors(spec, old),
  ];
}

function poolErrors(pool: Decoded<ResourcePool>): FieldError[] {
  const count = Number(pool.resourceSliceCount ?? 0);
  const generation = Number(pool.generation ?? 0);
  return [
    ...poolNameErrors(pool.name ?? "", "spec.pool.name"),
    ...errorIf(count <= 0, () =>
      fieldError.invalid("spec.pool.resourceSliceCount", count, "must be greater than zero"),
    ),
    ...errorIf(generation < 0, () =>
      fieldError.invalid(
        "spec.pool.generation",
        generation,
        "must be greater than or equal to zero",
      ),
    ),
  ];
}

/** Pool, driver and node identify a slice. */
function identityErrors(
  spec: Decoded<ResourceSliceSpec>,
  old: Decoded<ResourceSliceSpec>,
): FieldError[] {
  return [
    ...immutable("spec.pool.name", spec.pool?.name ?? "", old.pool?.name ?? ""),
    ...immutable("spec.driver", spec.driver ?? "", old.driver ?? ""),
    ...immutable("spec.nodeName", spec.nodeName ?? null, old.nodeName ?? null),
  ];
}

/** One term only, so that the selectors of several slices can be merged. */
function selectorErrors(selector: Decoded<NodeSelector>, path: string): readonly FieldError[] {
  const single = selector.nodeSelectorTerms?.length === 1;
  return [
    ...validateNodeSelector(selector, path),
    ...errorIf(!single, () =>
      fieldError.invalidInternal(
        `${path}.nodeSelectorTerms`,
        ["[]core.NodeSelectorTerm", selector.nodeSelectorTerms],
        "must have exactly one node selector term",
      ),
    ),
  ];
}

function contentErrors(
  spec: Decoded<ResourceSliceSpec>,
  old: Decoded<ResourceSliceSpec> | undefined,
): readonly FieldError[] {
  const devices = spec.devices ?? [];
  const before = old ? (old.devices ?? []) : [];
  const isAdvanced = devices.some(
    (device) => device.taints?.length || device.consumesCounters?.length,
  );
  const selection: NodeSelection =
    spec.perDeviceNodeSelection === true ? "per device" : "per slice";
  const name = (each: { readonly name?: string | null }): string => each.name ?? "";
  const oldOf = (device: Decoded<Device>): Decoded<Device> | undefined =>
    before.find((each) => name(each) === name(device));
  return [
    ...validateSet(devices, "spec.devices", {
      max: isAdvanced ? maxAdvancedDevices : maxDevices,
      validate: (device, path) => validateDevice(device, oldOf(device), path, selection),
      keyOf: name,
    }),
    ...validateSet(spec.sharedCounters ?? [], "spec.sharedCounters", {
      max: maxCounterSets,
      validate: (set, path) => [
        ...counterSetNameErrors(name(set), `${path}.name`),
        ...countersErrors(set.counters ?? {}, `${path}.counters`),
      ],
      keyOf: name,
    }),
  ];
}
