// Validates one device of a slice: its attributes and capacities, the counters that it consumes,
// and the nodes from which it can be reached.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateDevice and
// below).
import { type Decoded, equalJson } from "homeostat/api";
import type { Counter, Device, DeviceAttribute, DeviceCapacity } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateNodeSelector } from "../core/pod/validation/validate-affinity.ts";
import { hasItems, isSet } from "../../apimachinery/meta/read-fields.ts";
import { validateList, validateMap, validateSet } from "./bounded-lists.ts";
import { attributeNameErrors, labelNameErrors, maxQualifiedName } from "./device-names.ts";
import { validateDeviceTaint } from "./device-taints.ts";
import { validateNodeSelection } from "./validate-node-selection.ts";
import { validateRequestPolicy } from "./request-policy.ts";
import { validateBindingConditions } from "./validate-binding-conditions.ts";

const max = {
  attributesAndCapacities: 32,
  attributeValues: 48,
  taints: 16,
  consumedSets: 2,
  counters: 32,
  valueBytes: 64,
};
const versionPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

const notSemantic = "must be a string compatible with semver.org spec 2.0.0";

/** Whether the devices of a slice select nodes themselves. */
export type NodeSelection = "per device" | "per slice";

/** Every violation; taints that did not change are not validated again. */
export function validateDevice(
  device: Decoded<Device>,
  old: Decoded<Device> | undefined,
  path: string,
  selection: NodeSelection,
): readonly FieldError[] {
  return [
    ...labelNameErrors(device.name ?? "", `${path}.name`),
    ...countErrors(device, path),
    ...validateMap(
      device.attributes ?? {},
      {
        max: -1,
        shownNameBytes: maxQualifiedName,
        validateName: attributeNameErrors,
        validateValue: (attribute, at) => attributeErrors(attribute ?? {}, at),
      },
      `${path}.attributes`,
    ),
    ...validateMap(
      device.capacity ?? {},
      {
        max: -1,
        shownNameBytes: maxQualifiedName,
        validateName: attributeNameErrors,
        validateValue: (capacity, at) => capacityErrors(capacity ?? {}, at, device),
      },
      `${path}.capacity`,
    ),
    ...(old && equalJson(old.taints ?? [], device.taints ?? [])
      ? []
      : validateList(device.taints ?? [], max.taints, validateDeviceTaint, `${path}.taints`)),
    ...validateSet(device.consumesCounters ?? [], `${path}.consumesCounters`, {
      max: max.consumedSets,
      validate: (each, at) => [
        ...counterSetNameErrors(each.counterSet ?? "", `${at}.counterSet`),
        ...countersErrors(each.counters ?? {}, `${at}.counters`),
      ],
      keyOf: ({ counterSet }) => counterSet ?? "",
    }),
    ...nodeErrors(device, path, selection),
    ...validateBindingConditions(device, path),
  ];
}

/** The name of a set of counters. */
export const counterSetNameErrors = (name: string, path: string): FieldError[] =>
  name ? labelNameErrors(name, path) : [fieldError.required(path, "")];

/** Counters by name, with any amount. */
export function countersErrors(
  counters: Readonly<Record<string, Decoded<Counter> | null>>,
  path: string,
): readonly FieldError[] {
  if (!hasItems(counters)) return [fieldError.required(path, "")];
  return validateMap(
    counters,
    {
      max: max.counters,
      shownNameBytes: 63,
      validateName: labelNameErrors,
      validateValue: () => [],
    },
    path,
  );
}

const listFields = ["bools", "ints", "strings", "versions"] as const;
const valueFields = ["bool", "int", "string", "version"] as const;

function countErrors(device: Decoded<Device>, path: string): FieldError[] {
  const attributes = Object.values(device.attributes ?? {});
  const count = attributes.length + Object.keys(device.capacity ?? {}).length;
  const values = attributes.reduce(
    (sum, attribute) =>
      sum + (listFields.reduce((n, field) => n + (attribute?.[field]?.length ?? 0), 0) || 1),
    0,
  );
  return [
    ...errorIf(count > max.attributesAndCapacities, () =>
      fieldError.invalid(
        path,
        count,
        `the total number of attributes and capacities must not exceed ${max.attributesAndCapacities}`,
      ),
    ),
    ...errorIf(values > max.attributeValues, () =>
      fieldError.invalid(
        path,
        values,
        `the total number of attribute values must not exceed ${max.attributeValues}`,
      ),
    ),
  ];
}

function attributeErrors(attribute: Decoded<DeviceAttribute>, path: string): FieldError[] {
  const { string: text, version } = attribute;
  const given = valueFields.filter((field) => isSet(attribute[field])).length;
  const tooLarge = (value: string, at: string): FieldError[] =>
    errorIf(Buffer.byteLength(value) > max.valueBytes, () =>
      fieldError.tooLong(at, max.valueBytes),
    );
  return [
    ...(isSet(text) ? tooLarge(text, `${path}.string`) : []),
    ...errorIf(isSet(version) && !versionPattern.test(version), () =>
      fieldError.invalid(`${path}.version`, version, notSemantic),
    ),
    ...(isSet(version) ? tooLarge(version, `${path}.version`) : []),
    ...errorIf(given === 0, () =>
      fieldError.invalid(path, "", "exactly one value must be specified"),
    ),
    ...errorIf(given > 1, () =>
      fieldError.invalidInternal(
        path,
        ["resource.DeviceAttribute", attribute],
        "exactly one value must be specified",
      ),
    ),
  ];
}

function capacityErrors(
  { value, requestPolicy }: Decoded<DeviceCapacity>,
  path: string,
  { allowMultipleAllocations }: Decoded<Device>,
): FieldError[] {
  if (!requestPolicy) return [];
  return allowMultipleAllocations
    ? validateRequestPolicy(value ?? "", requestPolicy, `${path}.requestPolicy`)
    : [fieldError.forbidden(`${path}.requestPolicy`, "allowMultipleAllocations must be true")];
}

function nodeErrors(
  device: Decoded<Device>,
  path: string,
  selection: NodeSelection,
): readonly FieldError[] {
  const fields = ["nodeName", "nodeSelector", "allNodes"] as const;
  const given = fields.some((field) => isSet(device[field]));
  if (selection === "per slice")
    return errorIf(given, () =>
      fieldError.invalid(
        path,
        null,
        "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
      ),
    );
  return validateNodeSelection(device, path, {
    fields,
    emptyName: "must not be empty",
    validateSelector: (selector, at) => validateNodeSelector(selector, at),
    detail:
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
    several: "",
  });
}
