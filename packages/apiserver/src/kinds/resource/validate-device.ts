// One device of a slice: its attributes and capacities, what it takes from shared counters, and
// where it can be reached.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateDevice and
// below).
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  invalidInternal,
  required,
  tooLong,
} from "../../registry/field-error.ts";
import { validateNodeSelector } from "../core/pod/validate-affinity.ts";
import { hasItems, isSet, itemsAt, optionalTextAt } from "../object/read-fields.ts";
import { objectAt, stringAt } from "../object/strategy.ts";
import { validateList, validateMap, validateSet } from "./bounded-lists.ts";
import { attributeNameErrors, labelNameErrors, maxQualifiedName } from "./device-names.ts";
import { validateDeviceTaint } from "./device-taints.ts";
import { nodeChoices } from "./node-choices.ts";
import { validateRequestPolicy } from "./request-policy.ts";
import { validateBindingConditions } from "./validate-binding-conditions.ts";

const maxFacts = 32;
const maxAttributeValues = 48;
const maxTaints = 16;
const maxConsumptions = 2;
const maxCounters = 32;
const maxValueBytes = 64;
const versionPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

/** Devices name their own nodes where the slice leaves it to them. */
export type NodeSelection = "per device" | "per slice";

/** Every breach. Taints that stood before are not looked at again. */
export function validateDevice(
  device: JsonObject,
  old: JsonObject | undefined,
  path: string,
  selection: NodeSelection,
): readonly FieldError[] {
  return [
    ...labelNameErrors(stringAt(device, "name"), `${path}.name`),
    ...countErrors(device, path),
    ...validateMap(
      objectAt(device, "attributes"),
      {
        most: -1,
        shownNameBytes: maxQualifiedName,
        name: attributeNameErrors,
        value: attributeErrors,
      },
      `${path}.attributes`,
    ),
    ...validateMap(
      objectAt(device, "capacity"),
      {
        most: -1,
        shownNameBytes: maxQualifiedName,
        name: attributeNameErrors,
        value: (capacity, at) =>
          capacityErrors(capacity, at, device["allowMultipleAllocations"] === true),
      },
      `${path}.capacity`,
    ),
    ...(old && equalJson(old["taints"] ?? [], device["taints"] ?? [])
      ? []
      : validateList(itemsAt(device, "taints"), maxTaints, validateDeviceTaint, `${path}.taints`)),
    ...validateSet(
      itemsAt(device, "consumesCounters"),
      maxConsumptions,
      (each, at) => [
        ...counterSetNameErrors(stringAt(each, "counterSet"), `${at}.counterSet`),
        ...countersErrors(objectAt(each, "counters"), `${at}.counters`),
      ],
      (each) => stringAt(each, "counterSet"),
      `${path}.consumesCounters`,
    ),
    ...nodeErrors(device, path, selection),
    ...validateBindingConditions(device, path),
  ];
}

/** The name of a set of counters. */
export const counterSetNameErrors = (name: string, path: string): FieldError[] =>
  name ? labelNameErrors(name, path) : [required(path, "")];

/** Counters by name; any amount will do. */
export function countersErrors(counters: JsonObject, path: string): readonly FieldError[] {
  if (!hasItems(counters)) return [required(path, "")];
  return validateMap(
    counters,
    { most: maxCounters, shownNameBytes: 63, name: labelNameErrors, value: () => [] },
    path,
  );
}

const listForms = ["bools", "ints", "strings", "versions"];

function countErrors(device: JsonObject, path: string): FieldError[] {
  const attributes = Object.values(objectAt(device, "attributes"));
  const facts = attributes.length + Object.keys(objectAt(device, "capacity")).length;
  const values = attributes.reduce<number>(
    (sum, attribute) =>
      sum + (listForms.reduce((n, form) => n + listLength(attribute, form), 0) || 1),
    0,
  );
  return [
    ...(facts > maxFacts
      ? [
          invalid(
            path,
            facts,
            `the total number of attributes and capacities must not exceed ${maxFacts}`,
          ),
        ]
      : []),
    ...(values > maxAttributeValues
      ? [
          invalid(
            path,
            values,
            `the total number of attribute values must not exceed ${maxAttributeValues}`,
          ),
        ]
      : []),
  ];
}

function listLength(attribute: Json | undefined, form: string): number {
  const list = isObject(attribute) ? attribute[form] : undefined;
  return Array.isArray(list) ? list.length : 0;
}

function attributeErrors(value: Json, path: string): FieldError[] {
  const attribute = isObject(value) ? value : {};
  const text = optionalTextAt(attribute, "string");
  const version = optionalTextAt(attribute, "version");
  const forms = ["bool", "int", "string", "version"].filter((form) =>
    isSet(attribute[form]),
  ).length;
  const tooLarge = (given: string, at: string): FieldError[] =>
    Buffer.byteLength(given) > maxValueBytes ? [tooLong(at, maxValueBytes)] : [];
  return [
    ...(text === undefined ? [] : tooLarge(text, `${path}.string`)),
    ...(version === undefined
      ? []
      : [
          ...(versionPattern.test(version)
            ? []
            : [
                invalid(
                  `${path}.version`,
                  version,
                  "must be a string compatible with semver.org spec 2.0.0",
                ),
              ]),
          ...tooLarge(version, `${path}.version`),
        ]),
    ...(forms === 0 ? [invalid(path, "", "exactly one value must be specified")] : []),
    ...(forms > 1
      ? [
          invalidInternal(
            path,
            ["resource.DeviceAttribute", attribute],
            "exactly one value must be specified",
          ),
        ]
      : []),
  ];
}

function capacityErrors(value: Json, path: string, shared: boolean): FieldError[] {
  const capacity = isObject(value) ? value : {};
  const policy = capacity["requestPolicy"];
  if (!isObject(policy)) return [];
  return shared
    ? validateRequestPolicy(stringAt(capacity, "value"), policy, `${path}.requestPolicy`)
    : [forbidden(`${path}.requestPolicy`, "allowMultipleAllocations must be true")];
}

function nodeErrors(
  device: JsonObject,
  path: string,
  selection: NodeSelection,
): readonly FieldError[] {
  const given = ["nodeName", "nodeSelector", "allNodes"].some((field) => isSet(device[field]));
  if (selection === "per slice")
    return given
      ? [
          invalid(
            path,
            null,
            "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
          ),
        ]
      : [];
  return nodeChoices(device, path, {
    fields: ["nodeName", "nodeSelector", "allNodes"],
    emptyName: "must not be empty",
    selector: (selector, at) => validateNodeSelector(selector, at),
    detail:
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
    several: "",
  });
}
