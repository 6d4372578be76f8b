// The rules that most kinds share, as building blocks for records: plain objects, and objects with
// a spec and a status.
// Upstream: the strategies under k8s.io/kubernetes/pkg/registry, which differ from these in few
// lines each.
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  type InternalValue,
  invalid,
  invalidInternal,
} from "../../registry/field-error.ts";
import type { Strategy } from "../../registry/served-resource.ts";
import type { Rules } from "./builtin-kind.ts";
import { nameIsDnsSubdomain } from "./names.ts";

/** A kind that decides nothing: any well-named object is fine, no generation, no status. */
export const plainStrategy: Strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  deleteReturnsObject: false,
  prepareForCreate() {},
  prepareForUpdate() {},
  validateCreate: () => [],
  validateUpdate: () => [],
  validateName: nameIsDnsSubdomain,
  resetFields: [],
};

/** metadata of an object that has been decoded. */
export function metadataOf(object: JsonObject): JsonObject {
  const metadata = object["metadata"];
  return isObject(metadata) ? metadata : (object["metadata"] = {});
}

/** An object-valued field, or an empty one where it is absent. The result is only for reading. */
export function objectAt(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isObject(value) ? value : {};
}

/** A string-valued field, "" where it is absent. */
export function stringAt(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}

/** Makes `field` what it was in `old`, absent included. */
export function keepOld(object: JsonObject, old: JsonObject, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = old[field];
}

/**
 * Raises metadata.generation over the old one when one of the fields changed; otherwise keeps the
 * old one.
 */
export function bumpGeneration(
  object: JsonObject,
  old: JsonObject,
  fields: readonly string[],
): void {
  const generation = Number(metadataOf(old)["generation"] ?? 0);
  const changed = fields.some((field) => !equalJson(object[field] ?? {}, old[field] ?? {}));
  const next = changed ? generation + 1 : generation;
  if (next) metadataOf(object)["generation"] = next;
  else delete metadataOf(object)["generation"];
}

/** Rules of a kind with spec, status and a generation that follows the spec. */
export const specStatusRules: Rules = {
  prepareForCreate(object) {
    object["status"] = {};
    metadataOf(object)["generation"] = 1;
  },
  prepareForUpdate(object, old) {
    keepOld(object, old, "status");
    bumpGeneration(object, old, ["spec"]);
  },
  resetFields: [["f:status"]],
};

/** The status view of such a kind: spec stays what it was. */
export const statusViewRules: Rules = {
  prepareForUpdate: (object, old) => keepOld(object, old, "spec"),
  resetFields: [["f:spec"]],
};

/** `field is immutable` when the value changed; the new value is what the message shows. */
export function immutable(
  path: string,
  value: Json | undefined,
  old: Json | undefined,
): FieldError[] {
  return equalJson(value, old) ? [] : [invalid(path, value, "field is immutable")];
}

/** `Invalid value: {"Spec":…}: field is immutable` for a value of an internal Go type. */
export function immutableInternal(
  path: string,
  [type, value]: InternalValue,
  old: Json | undefined,
): FieldError[] {
  return equalJson(value ?? null, old ?? null)
    ? []
    : [invalidInternal(path, [type, value], "field is immutable")];
}

const standardFinalizers: ReadonlySet<string> = new Set([
  "kubernetes",
  "orphan",
  "foregroundDeletion",
]);

/**
 * The extra rule on finalizers that kinds of the core repository have: an unqualified name must be
 * a standard one.
 */
export function finalizerNameErrors(name: string, path: string): FieldError[] {
  return name.includes("/") || standardFinalizers.has(name)
    ? []
    : [invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")];
}

/** {@link finalizerNameErrors} of metadata.finalizers. */
export function finalizerErrors(object: JsonObject): FieldError[] {
  const finalizers = metadataOf(object)["finalizers"];
  return Array.isArray(finalizers)
    ? finalizers.flatMap((name, i) =>
        finalizerNameErrors(String(name), `metadata.finalizers[${i}]`),
      )
    : [];
}
