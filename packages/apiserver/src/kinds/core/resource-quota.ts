// Resource quotas: what a namespace may have in total.
// Upstream: k8s.io/kubernetes/pkg/registry/core/resourcequota/strategy.go,
// pkg/apis/core/validation/validation.go.
import { compareBytewise, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  invalid,
  invalidInternal,
  required,
} from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { parseQuantity } from "../../apimachinery/values/quantity.ts";
import {
  itemsAt,
  mutableAt,
  textMapAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { finalizerErrors, keepOld } from "../definition/default-strategy.ts";
import { roundList } from "./resources/resource-lists.ts";
import { isStandardQuotaResource, quotaListErrors } from "./resource-rules.ts";

export const resourceQuota: KindDefinition = {
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  returnsDeletedObject: true,
  defaults(object) {
    roundList(mutableAt(objectAt(object, "spec"), "hard"));
    for (const field of ["hard", "used"]) roundList(mutableAt(objectAt(object, "status"), field));
  },
  strategy: {
    resetFields: [["f:status"]],
    prepareForCreate: (object) => void (object["status"] = {}),
    prepareForUpdate: (object, old) => keepOld(object, old, "status"),
    validateCreate: (object, context) =>
      warned(object, context, [
        ...finalizerErrors(object),
        ...validateSpec(objectAt(object, "spec")),
      ]),
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...validateSpec(objectAt(object, "spec")),
      ...scopeChangeErrors(objectAt(object, "spec"), objectAt(old, "spec")),
    ],
  },
  subresources: {
    status: {
      resetFields: [["f:spec"]],
      prepareForUpdate: (object, old) => keepOld(object, old, "spec"),
      validateUpdate: (object) =>
        ["hard", "used"].flatMap((field) =>
          quotaListErrors(objectAt(object, "status"), field, "status"),
        ),
    },
  },
  cells,
};

/** Scopes, and the resources that each applies to. */
const podResources = [
  "pods",
  "cpu",
  "memory",
  "limits.cpu",
  "limits.memory",
  "requests.cpu",
  "requests.memory",
];
const scopes: ReadonlyMap<string, readonly string[]> = new Map([
  ["Terminating", podResources],
  ["NotTerminating", podResources],
  ["NotBestEffort", podResources],
  ["BestEffort", ["pods"]],
  ["PriorityClass", podResources],
  ["CrossNamespacePodAffinity", podResources],
  ["VolumeAttributesClass", ["persistentvolumeclaims", "requests.storage"]],
]);
const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

function validateSpec(spec: JsonObject): FieldError[] {
  const listed = textsAt(spec, "scopes");
  return [
    ...quotaListErrors(spec, "hard", "spec"),
    ...listed.flatMap((scope) => [
      ...(scopes.has(scope) ? [] : [invalid("spec.scopes", [...listed], "unsupported scope")]),
      ...misplaced(scope, spec).map(() =>
        invalid("spec.scopes", [...listed], "unsupported scope applied to resource"),
      ),
    ]),
    ...(isContradiction(listed) ? [invalid("spec.scopes", [...listed], "conflicting scopes")] : []),
    ...validateScopeSelector(spec),
  ];
}

/** The tracked resources to which a scope does not apply. */
function misplaced(scope: string, spec: JsonObject): readonly string[] {
  const resources = scopes.get(scope);
  return resources
    ? Object.keys(textMapAt(spec, "hard")).filter(
        (name) => isStandardQuotaResource(name) && !resources.includes(name),
      )
    : [];
}

const isContradiction = (names: readonly string[]): boolean =>
  opposites.some((pair) => pair.every((scope) => names.includes(scope)));

function validateScopeSelector(spec: JsonObject): FieldError[] {
  const selector = mutableAt(spec, "scopeSelector");
  if (!selector) return [];
  const path = "spec.scopeSelector.matchExpressions";
  const requirements = itemsAt(selector, "matchExpressions");
  const names = requirements.map((requirement) => stringAt(requirement, "scopeName"));
  return [
    ...requirements.flatMap((requirement) => [
      ...(scopes.has(stringAt(requirement, "scopeName"))
        ? []
        : [invalid(`${path}.scopeName`, stringAt(requirement, "scopeName"), "unsupported scope")]),
      ...misplaced(stringAt(requirement, "scopeName"), spec).map(() =>
        invalidInternal(
          path,
          ["core.ScopeSelector", selector],
          "unsupported scope applied to resource",
        ),
      ),
      ...operatorErrors(requirement, path),
    ]),
    ...(isContradiction(names)
      ? [invalid(path, spec["scopes"] ?? null, "conflicting scopes")]
      : []),
  ];
}

const existsOnly = [
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
];
const existsText =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function operatorErrors(requirement: JsonObject, path: string): FieldError[] {
  const operator = stringAt(requirement, "operator");
  const values = textsAt(requirement, "values");
  const errors =
    existsOnly.includes(stringAt(requirement, "scopeName")) && operator !== "Exists"
      ? [invalid(`${path}.operator`, operator, existsText)]
      : [];
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length
        ? errors
        : [
            ...errors,
            required(
              `${path}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ];
    case "Exists":
    case "DoesNotExist":
      return values.length
        ? [
            ...errors,
            invalid(
              `${path}.values`,
              [...values],
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ]
        : errors;
    default:
      return [...errors, invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

function scopeChangeErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const [now, before] = [new Set(textsAt(spec, "scopes")), new Set(textsAt(old, "scopes"))];
  return now.size === before.size && [...now].every((scope) => before.has(scope))
    ? []
    : [invalid("spec.scopes", spec["scopes"] ?? null, "field is immutable")];
}

const compared = ["cpu", "memory", "storage", "ephemeral-storage"];

/** More requested than limited is allowed, and odd. */
function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length) return errors;
  const hard = textMapAt(objectAt(object, "spec"), "hard");
  for (const name of compared) {
    const bare = (name === "cpu" || name === "memory") && hard[`requests.${name}`] === undefined;
    const requestName = bare ? name : `requests.${name}`;
    const [request, limit] = [hard[requestName], hard[`limits.${name}`]];
    if (
      request !== undefined &&
      limit !== undefined &&
      parseQuantity(request).nano > parseQuantity(limit).nano
    )
      context.warn(
        `ResourceQuota ${requestName} (${request}) should be less than limits.${name} (${limit})`,
      );
  }
  return errors;
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const status = objectAt(object, "status");
  const hard = textMapAt(status, "hard");
  const used = textMapAt(status, "used");
  const shown = (limits: "limits" | "requests"): string =>
    Object.keys(hard)
      .sort(compareBytewise)
      .filter((name) => name.startsWith("limits.") === (limits === "limits"))
      .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`)
      .join(", ");
  return [nameOf(object), shown("requests"), shown("limits"), ageOf(object, nowMs)];
}
