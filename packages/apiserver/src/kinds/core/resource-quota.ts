// Resource quotas: the total that a namespace may use.
// Upstream: k8s.io/kubernetes/pkg/registry/core/resourcequota/strategy.go,
// pkg/apis/core/validation/validation.go.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { compareBytewise, type Decoded, type Json } from "homeostat/api";
import type { ResourceQuota, ResourceQuotaSpec } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { parseQuantity } from "../../apimachinery/values/quantity.ts";
import { statusResetStrategy, statusStrategy } from "../definition/default-strategy.ts";
import { finalizerErrors, validateWholeObject } from "../validation/validate-object.ts";
import { roundList } from "./resources/resource-lists.ts";
import { isStandardQuotaResource } from "./resources/resource-names.ts";
import { quotaListErrors } from "./resources/validate-resource-lists.ts";

export const resourceQuota: KindDefinition<Decoded<ResourceQuota>> = {
  ...gvk("v1", "ResourceQuota"),
  returnsDeletedObject: true,
  defaults(object) {
    roundList(object.spec?.hard);
    roundList(object.status?.hard);
    roundList(object.status?.used);
  },
  strategy: {
    ...statusResetStrategy,
    ...validateWholeObject({
      validate: ({ spec }) => validateSpec(spec ?? {}),
      validateChange: ({ spec }, old) => scopeChangeErrors(spec ?? {}, old.spec ?? {}),
    }),
    warningsOnCreate: ({ spec }) => requestWarnings(spec?.hard ?? {}),
  },
  subresources: {
    status: {
      ...statusStrategy,
      validateUpdate: (object) => [
        ...finalizerErrors(object),
        ...quotaListErrors(object.status?.hard ?? {}, "status.hard"),
        ...quotaListErrors(object.status?.used ?? {}, "status.used"),
      ],
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

function validateSpec(spec: Decoded<ResourceQuotaSpec>): FieldError[] {
  const listed = spec.scopes ?? [];
  return [
    ...quotaListErrors(spec.hard ?? {}, "spec.hard"),
    ...listed.flatMap((scope) => [
      ...errorIf(!scopes.has(scope), () =>
        fieldError.invalid("spec.scopes", [...listed], "unsupported scope"),
      ),
      ...misplaced(scope, spec).map(() =>
        fieldError.invalid("spec.scopes", [...listed], "unsupported scope applied to resource"),
      ),
    ]),
    ...errorIf(isContradiction(listed), () =>
      fieldError.invalid("spec.scopes", [...listed], "conflicting scopes"),
    ),
    ...validateScopeSelector(spec),
  ];
}

/** The tracked resources to which a scope does not apply. */
function misplaced(scope: string, spec: Decoded<ResourceQuotaSpec>): readonly string[] {
  const resources = scopes.get(scope);
  return resources
    ? Object.keys(spec.hard ?? {}).filter(
        (name) => isStandardQuotaResource(name) && !resources.includes(name),
      )
    : [];
}

const isContradiction = (names: readonly string[]): boolean =>
  opposites.some((pair) => pair.every((scope) => names.includes(scope)));

function validateScopeSelector(spec: Decoded<ResourceQuotaSpec>): FieldError[] {
  const selector = spec.scopeSelector ?? undefined;
  if (!selector) return [];
  const path = "spec.scopeSelector.matchExpressions";
  const requirements = selector.matchExpressions ?? [];
  const names = requirements.map((requirement) => requirement.scopeName ?? "");
  return [
    ...requirements.flatMap((requirement) => [
      ...errorIf(!scopes.has(requirement.scopeName ?? ""), () =>
        fieldError.invalid(`${path}.scopeName`, requirement.scopeName ?? "", "unsupported scope"),
      ),
      ...misplaced(requirement.scopeName ?? "", spec).map(() =>
        fieldError.invalidInternal(
          path,
          ["core.ScopeSelector", selector],
          "unsupported scope applied to resource",
        ),
      ),
      ...operatorErrors(requirement, path),
    ]),
    ...errorIf(isContradiction(names), () =>
      fieldError.invalid(path, spec.scopes ?? null, "conflicting scopes"),
    ),
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

type ScopeSelector = NonNullable<Decoded<ResourceQuotaSpec>["scopeSelector"]>;
type ScopeRequirement = NonNullable<ScopeSelector["matchExpressions"]>[number];

function operatorErrors(requirement: ScopeRequirement, path: string): FieldError[] {
  const operator = requirement.operator ?? "";
  const values = requirement.values ?? [];
  const errors = errorIf(
    existsOnly.includes(requirement.scopeName ?? "") && operator !== "Exists",
    () => fieldError.invalid(`${path}.operator`, operator, existsText),
  );
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length
        ? errors
        : [
            ...errors,
            fieldError.required(
              `${path}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ];
    case "Exists":
    case "DoesNotExist":
      return values.length
        ? [
            ...errors,
            fieldError.invalid(
              `${path}.values`,
              [...values],
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ]
        : errors;
    default:
      return [
        ...errors,
        fieldError.invalid(`${path}.operator`, operator, "not a valid selector operator"),
      ];
  }
}

function scopeChangeErrors(
  spec: Decoded<ResourceQuotaSpec>,
  old: Decoded<ResourceQuotaSpec>,
): FieldError[] {
  const [now, before] = [new Set(spec.scopes ?? []), new Set(old.scopes ?? [])];
  return errorIf(now.size !== before.size || ![...now].every((scope) => before.has(scope)), () =>
    fieldError.invalid("spec.scopes", spec.scopes ?? null, "field is immutable"),
  );
}

const compared = ["cpu", "memory", "storage", "ephemeral-storage"];

/** Warns where requests may exceed limits. */
function requestWarnings(hard: Readonly<Record<string, string>>): string[] {
  return compared.flatMap((name) => {
    const bare = (name === "cpu" || name === "memory") && hard[`requests.${name}`] === undefined;
    const requestName = bare ? name : `requests.${name}`;
    const [request, limit] = [hard[requestName], hard[`limits.${name}`]];
    return request !== undefined &&
      limit !== undefined &&
      parseQuantity(request).nano > parseQuantity(limit).nano
      ? [`ResourceQuota ${requestName} (${request}) should be less than limits.${name} (${limit})`]
      : [];
  });
}

function cells(object: Decoded<ResourceQuota>, ages: CellAges): readonly Json[] {
  const status = object.status ?? {};
  const hard = status.hard ?? {};
  const used = status.used ?? {};
  const shown = (limits: "limits" | "requests"): string =>
    Object.keys(hard)
      .sort(compareBytewise)
      .filter((name) => name.startsWith("limits.") === (limits === "limits"))
      .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`)
      .join(", ");
  return [nameOf(object), shown("requests"), shown("limits"), ageOf(object, ages)];
}
