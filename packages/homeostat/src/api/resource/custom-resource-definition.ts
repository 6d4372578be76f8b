// Builds a resource's CustomResourceDefinition, for `kubectl apply`. Resources of one group and
// kind become versions of one definition. Pure and deterministic.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go.
import { HomeostatError } from "../../util/homeostat-error.ts";
import { describeMissing } from "../../util/option-faults.ts";
import type { JsonObject } from "../json.ts";
import type { ResourceDefinition } from "./define-resource.ts";
import type { StructuralSchema, ValidationRule } from "./json-schema.ts";

/** A manifest of apiextensions.k8s.io/v1. */
export interface CustomResourceDefinition extends JsonObject {}

const condition: StructuralSchema = {
  type: "object",
  required: ["type", "status", "reason", "message", "lastTransitionTime"],
  properties: {
    type: { type: "string", maxLength: 316 },
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    reason: {
      type: "string",
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    message: { type: "string", maxLength: 32_768 },
    observedGeneration: { type: "integer", format: "int64", minimum: 0 },
    lastTransitionTime: { type: "string", format: "date-time" },
  },
};

/** True when the resource has a status: fields or conditions. */
export function hasStatus(definition: ResourceDefinition): boolean {
  return definition.status !== undefined || definition.conditions.length > 0;
}

/**
 * Builds the definition of a resource. Further versions of the same kind may follow; the first is
 * the storage version. @throws ERR_RESOURCE_VERSIONS when they differ in group, kind, plural or
 * scope, or repeat a version.
 */
export function toCustomResourceDefinition(
  storage: { readonly definition: ResourceDefinition },
  ...others: readonly { readonly definition: ResourceDefinition }[]
): CustomResourceDefinition {
  refuseOthers([storage, ...others]);
  const { definition } = storage;
  const all = [definition, ...others.map((other) => other.definition)];
  checkVersions(all);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${definition.plural}.${definition.group}` },
    spec: {
      group: definition.group,
      scope: definition.scope,
      names: {
        kind: definition.kind,
        listKind: `${definition.kind}List`,
        plural: definition.plural,
        singular: definition.singular,
        ...(definition.shortNames.length ? { shortNames: [...definition.shortNames] } : {}),
        ...(definition.categories.length ? { categories: [...definition.categories] } : {}),
      },
      versions: all.map((one) => toVersion(one, one === definition)),
    },
  };
}

/** Built-in kinds, and values of JavaScript. */
function refuseOthers(given: readonly unknown[]): void {
  const at = given.findIndex((one) => Object(one).definition?.group === undefined);
  if (at < 0) return;
  const wrong = given[at];
  const kind = Object(wrong).kind as unknown;
  const named = typeof kind === "string" ? `the kind ${kind}` : describeMissing(wrong);
  throw new HomeostatError(
    "ERR_DEFINITION_ARGUMENTS",
    `building a CustomResourceDefinition of ${named}: expected what defineResource returns`,
    { hint: "toCustomResourceDefinition(Order); built-in kinds have no definition" },
  );
}

function checkVersions(all: readonly ResourceDefinition[]): void {
  const [first, ...rest] = all as readonly [ResourceDefinition, ...ResourceDefinition[]];
  for (const other of rest)
    for (const key of ["group", "kind", "plural", "scope"] as const)
      if (other[key] !== first[key])
        throw new HomeostatError(
          "ERR_RESOURCE_VERSIONS",
          `versions of ${first.kind} must share their ${key}: ${first.version} has "${first[key]}", ${other.version} has "${other[key]}"`,
          {
            hint: `give every version the same ${key}`,
          },
        );
  const twice = all.find((one, i) => all.findIndex((other) => other.version === one.version) !== i);
  if (twice)
    throw new HomeostatError(
      "ERR_RESOURCE_VERSIONS",
      `version ${twice.version} of ${first.kind} is given twice`,
      { hint: "give every version a unique name" },
    );
}

function toVersion(definition: ResourceDefinition, isStorage: boolean): JsonObject {
  const columns = [
    ...definition.columns.map(({ name, type, jsonPath }) => ({ name, type, jsonPath })),
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ];
  const subresources = {
    ...(hasStatus(definition) ? { status: {} } : {}),
    ...(definition.scale ? { scale: { ...definition.scale } } : {}),
  };
  return {
    name: definition.version,
    served: true,
    storage: isStorage,
    schema: { openAPIV3Schema: rootSchema(definition) as unknown as JsonObject },
    additionalPrinterColumns: columns,
    ...(Object.keys(subresources).length ? { subresources } : {}),
    ...(definition.selectableFields.length
      ? { selectableFields: definition.selectableFields.map((jsonPath) => ({ jsonPath })) }
      : {}),
  };
}

function rootSchema(definition: ResourceDefinition): StructuralSchema {
  const rules: ValidationRule[] = [...definition.rules];
  return {
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: definition.name
        ? { type: "object", properties: { name: { type: "string", ...definition.name } } }
        : { type: "object" },
      spec: definition.spec,
      ...(hasStatus(definition) ? { status: statusSchema(definition) } : {}),
    },
    ...(rules.length ? { "x-kubernetes-validations": rules } : {}),
  };
}

function statusSchema(definition: ResourceDefinition): StructuralSchema {
  const own = definition.status ?? { type: "object" };
  return {
    ...own,
    properties: {
      ...own.properties,
      observedGeneration: own.properties?.["observedGeneration"] ?? {
        type: "integer",
        format: "int64",
      },
      conditions: own.properties?.["conditions"] ?? {
        type: "array",
        items: condition,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
      },
    },
  };
}
