// Limit ranges: bounds and defaults for the resources of containers, pods and claims in a
// namespace.
// Upstream: k8s.io/kubernetes/pkg/registry/core/limitrange/strategy.go,
// pkg/apis/core/v1/defaults.go, pkg/apis/core/validation.
import { type Decoded, isObject, labelKeyFaults } from "homeostat/api";
import type { LimitRange, LimitRangeItem } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { hasItems } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { parseQuantity } from "../../apimachinery/values/quantity.ts";
import { validateWholeObject } from "../validation/validate-object.ts";
import { roundList } from "./resources/resource-lists.ts";
import { isOvercommitAllowed } from "./resources/resource-names.ts";
import {
  containerResourceNameErrors,
  resourceNameErrors,
  sortedEntries,
} from "./resources/validate-resource-lists.ts";
import { createUniqueRule } from "../validation/field-rules.ts";

const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;
const types = ["Pod", "Container", "PersistentVolumeClaim"];

export const limitRange: KindDefinition<Decoded<LimitRange>> = {
  ...gvk("v1", "LimitRange"),
  defaults(object) {
    for (const item of object.spec?.limits ?? []) {
      if (item.type === "Container") setContainerDefaults(item);
      for (const list of lists) roundList(item[list]);
    }
  },
  strategy: {
    allowCreateOnUpdate: true,
    prepareForCreate(object, { newUid }) {
      const metadata = metadataOf(object);
      if (!metadata.name && newUid) metadata.name = newUid();
    },
    ...validateWholeObject({
      namespaced: true,
      metadataChanges: "common",
      validate: validateLimits,
    }),
  },
};

/** Limits default to the maximum, requests to the limit, then to the minimum. */
function setContainerDefaults(item: Decoded<LimitRangeItem>): void {
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (isObject(item.default) || Object.keys(limits).length) item.default = limits;
  if (isObject(item.defaultRequest) || Object.keys(requests).length) item.defaultRequest = requests;
}

function validateLimits(object: Decoded<LimitRange>): FieldError[] {
  const unique = createUniqueRule();
  return eachItem(object.spec?.limits, "spec.limits", (item, path) => {
    const type = item.type ?? "";
    return [
      ...typeErrors(type, `${path}.type`),
      ...unique(type, `${path}.type`),
      ...validateItem(item, type, path),
    ];
  });
}

function typeErrors(type: string, path: string): FieldError[] {
  const faults = labelKeyFaults(type);
  if (faults.length) return faults.map((fault) => fieldError.invalid(path, type, fault));
  return errorIf(!type.includes("/") && !types.includes(type), () =>
    fieldError.invalid(path, type, "must be a standard limit type or fully qualified"),
  );
}

function validateItem(item: Decoded<LimitRangeItem>, type: string, path: string): FieldError[] {
  const nameErrors =
    type === "Pod" || type === "Container" ? containerResourceNameErrors : resourceNameErrors;
  const names = (list: (typeof lists)[number]): FieldError[] =>
    sortedEntries(item[list] ?? {}).flatMap(([name]) =>
      nameErrors(name, `${path}.${list}[${name}]`),
    );
  const defaults =
    type === "Pod"
      ? (["default", "defaultRequest"] as const)
          .filter((list) => hasItems(item[list]))
          .map((list) =>
            fieldError.forbidden(`${path}.${list}`, "may not be specified when `type` is 'Pod'"),
          )
      : [...names("default"), ...names("defaultRequest")];
  const unbounded =
    type === "PersistentVolumeClaim" &&
    item.min?.storage === undefined &&
    item.max?.storage === undefined;
  return [
    ...names("max"),
    ...names("min"),
    ...defaults,
    ...errorIf(unbounded, () =>
      fieldError.required(
        `${path}.limits`,
        "either minimum or maximum storage value is required, but neither was provided",
      ),
    ),
    ...names("maxLimitRequestRatio"),
    ...resourcesOf(item, type).flatMap((name) => compareBounds(item, type, name, path)),
  ];
}

const listsOf = (type: string): readonly (typeof lists)[number][] =>
  type === "Pod" ? ["max", "min", "maxLimitRequestRatio"] : lists;
const resourcesOf = (item: Decoded<LimitRangeItem>, type: string): readonly string[] =>
  sortedEntries(Object.assign({}, ...listsOf(type).map((list) => item[list]))).map(
    ([name]) => name,
  );

/** A bound with its text, as messages show it. */
interface Bound {
  readonly text: string;
  readonly nano: bigint;
}

type BoundName = (typeof lists)[number];

/** `lower` must not exceed `upper`; the error shows the value of `shown` in the list `field`. */
interface Comparison {
  readonly lower: BoundName;
  readonly upper: BoundName;
  readonly field: BoundName;
  readonly shown: BoundName;
  readonly labels: readonly [lower: string, upper: string];
}

/** In upstream's order. */
const comparisons: readonly Comparison[] = [
  { lower: "min", upper: "max", field: "min", shown: "min", labels: ["min", "max"] },
  {
    lower: "min",
    upper: "defaultRequest",
    field: "defaultRequest",
    shown: "defaultRequest",
    labels: ["min", "default request"],
  },
  {
    lower: "defaultRequest",
    upper: "max",
    field: "defaultRequest",
    shown: "defaultRequest",
    labels: ["default request", "max"],
  },
  {
    lower: "defaultRequest",
    upper: "default",
    field: "defaultRequest",
    shown: "defaultRequest",
    labels: ["default request", "default limit"],
  },
  { lower: "min", upper: "default", field: "default", shown: "min", labels: ["min", "default"] },
  { lower: "default", upper: "max", field: "default", shown: "max", labels: ["default", "max"] },
];

function compareBounds(
  item: Decoded<LimitRangeItem>,
  type: string,
  name: string,
  path: string,
): FieldError[] {
  const boundOf = (list: BoundName): Bound | undefined => {
    const text = listsOf(type).includes(list) ? item[list]?.[name] : undefined;
    return text === undefined ? undefined : { text, nano: parseQuantity(text).nano };
  };
  const errors = comparisons.flatMap(({ lower, upper, field, shown, labels }) => {
    const [a, b] = [boundOf(lower), boundOf(upper)];
    if (!a || !b || a.nano <= b.nano) return [];
    const detail = `${labels[0]} value ${a.text} is greater than ${labels[1]} value ${b.text}`;
    return [fieldError.invalid(`${path}.${field}[${name}]`, boundOf(shown)!.text, detail)];
  });
  return [
    ...errors,
    ...ratioErrors(
      boundOf("maxLimitRequestRatio"),
      boundOf("min"),
      boundOf("max"),
      `${path}.maxLimitRequestRatio[${name}]`,
    ),
    ...overcommitErrors(
      name,
      boundOf("default"),
      boundOf("defaultRequest"),
      `${path}.defaultRequest[${name}]`,
    ),
  ];
}

function overcommitErrors(
  name: string,
  limit: Bound | undefined,
  request: Bound | undefined,
  path: string,
): FieldError[] {
  if (!limit || !request || limit.nano === request.nano || isOvercommitAllowed(name)) return [];
  return [
    fieldError.invalid(
      path,
      request.text,
      `default value ${limit.text} must equal to defaultRequest value ${request.text} in ${name}`,
    ),
  ];
}

const one = 1_000_000_000n;

function ratioErrors(
  ratio: Bound | undefined,
  min: Bound | undefined,
  max: Bound | undefined,
  path: string,
): FieldError[] {
  if (!ratio) return [];
  const errors = errorIf(ratio.nano < one, () =>
    fieldError.invalid(path, ratio.text, `ratio ${ratio.text} is less than 1`),
  );
  if (!min || !max) return errors;
  const most = Number(max.nano) / Number(min.nano);
  return Number(ratio.nano) / Number(one) > most
    ? [
        ...errors,
        fieldError.invalid(
          path,
          ratio.text,
          `ratio ${ratio.text} is greater than max/min = ${most.toFixed(6)}`,
        ),
      ]
    : errors;
}
