// Prints parts of claims and slices as upstream's error messages do.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/types.go (internal structs, without JSON names).
import { encodeJson, isObject, type Json } from "homeostat/api";
import { formatNodeTerms } from "../printers/format-node-terms.ts";
import {
  formatStruct,
  goList,
  goNumber,
  goPointer,
  goStructPointer,
  goText,
  type StructField,
} from "../printers/format-struct.ts";

type Print = StructField[2];

const structOf =
  (fields: readonly StructField[]): Print =>
  (value) =>
    formatStruct(value, fields);

const toleration = structOf([
  ["Key", "key", goText],
  ["Operator", "operator", goText],
  ["Value", "value", goText],
  ["Effect", "effect", goText],
  ["TolerationSeconds", "tolerationSeconds", goPointer],
]);
const demand: readonly StructField[] = [
  ["DeviceClassName", "deviceClassName", goText],
  [
    "Selectors",
    "selectors",
    goList(structOf([["CEL", "cel", goStructPointer([["Expression", "expression", goText]])]])),
  ],
  ["AllocationMode", "allocationMode", goText],
  ["Count", "count", goNumber],
];
const tolerations: StructField = ["Tolerations", "tolerations", goList(toleration)];
const capacity: StructField = [
  "Capacity",
  "capacity",
  goStructPointer([["Requests", "requests", goPointer]]),
];
const opaque: StructField = [
  "Opaque",
  "opaque",
  goStructPointer([
    ["Driver", "driver", goText],
    ["Parameters", "parameters", goPointer],
  ]),
];
const requests: StructField = ["Requests", "requests", goPointer];

const devices = structOf([
  [
    "Requests",
    "requests",
    goList(
      structOf([
        ["Name", "name", goText],
        [
          "Exactly",
          "exactly",
          goStructPointer([
            ...demand,
            ["AdminAccess", "adminAccess", goPointer],
            tolerations,
            capacity,
          ]),
        ],
        [
          "FirstAvailable",
          "firstAvailable",
          goList(structOf([["Name", "name", goText], ...demand, tolerations, capacity])),
        ],
      ]),
    ),
  ],
  [
    "Constraints",
    "constraints",
    goList(
      structOf([
        requests,
        ["MatchAttribute", "matchAttribute", goPointer],
        ["DistinctAttribute", "distinctAttribute", goPointer],
      ]),
    ),
  ],
  ["Config", "config", goList(structOf([requests, opaque]))],
]);

/** `spec` of a claim. */
export const formatClaimSpec: Print = structOf([["Devices", "devices", devices]]);

/** Members of ObjectMeta in the order of the Go struct. */
const metadataOrder: readonly string[] = [
  ...[
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
  ],
  ...["labels", "annotations", "ownerReferences", "finalizers", "managedFields"],
];

/** `spec` of a template: metadata has JSON names, and is spread into the struct around it. */
export function formatTemplateSpec(value: Json | undefined): string {
  const spec = isObject(value) ? value : {};
  const given = isObject(spec["metadata"]) ? spec["metadata"] : {};
  const names = [
    ...metadataOrder.filter((name) => name in given),
    ...Object.keys(given).filter((name) => !metadataOrder.includes(name)),
  ];
  const metadata = names
    .map((name) => `${JSON.stringify(name)}:${encodeJson(given[name]!)}`)
    .join(",");
  return `{${metadata ? `${metadata},` : ""}"Spec":${formatClaimSpec(spec["spec"])}}`;
}

/** `status.allocation` of a claim. */
export const formatAllocation: Print = structOf([
  [
    "Devices",
    "devices",
    structOf([
      [
        "Results",
        "results",
        goList(
          structOf([
            ["Request", "request", goText],
            ["Driver", "driver", goText],
            ["Pool", "pool", goText],
            ["Device", "device", goText],
            ["AdminAccess", "adminAccess", goPointer],
            tolerations,
            ["BindingConditions", "bindingConditions", goPointer],
            ["BindingFailureConditions", "bindingFailureConditions", goPointer],
            ["ShareID", "shareID", goPointer],
            ["ConsumedCapacity", "consumedCapacity", goPointer],
          ]),
        ),
      ],
      ["Config", "config", goList(structOf([["Source", "source", goText], requests, opaque]))],
    ]),
  ],
  [
    "NodeSelector",
    "nodeSelector",
    goStructPointer([["NodeSelectorTerms", "nodeSelectorTerms", formatNodeTerms]]),
  ],
  ["AllocationTimestamp", "allocationTimestamp", goPointer],
]);

/** One attribute of a device. */
export const formatAttribute: Print = structOf([
  ["IntValue", "int", goPointer],
  ["BoolValue", "bool", goPointer],
  ["StringValue", "string", goPointer],
  ["VersionValue", "version", goPointer],
  ["IntValues", "ints", goPointer],
  ["BoolValues", "bools", goPointer],
  ["StringValues", "strings", goPointer],
  ["VersionValues", "versions", goPointer],
]);

/** The device that an entry of a status is about. */
export const formatSharedDevice: Print = structOf([
  ["Driver", "driver", goText],
  ["Pool", "pool", goText],
  ["Device", "device", goText],
  ["ShareID", "shareID", goText],
]);
