// The rules that most kinds share, as building blocks for records: plain objects, and objects with
// a spec and a status.
// Upstream: the strategies under k8s.io/kubernetes/pkg/registry, which differ from these in few
// lines each.
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import { type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { StrategyOverrides } from "./kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";

/** A kind that decides nothing: any well-named object is fine, no generation, no status. */
export const defaultStrategy: Strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  deleteReturnsObject: false,
  prepareForCreate() {},
  prepareForUpdate() {},
  validateCreate: () => [],
  validateUpdate: () => [],
  warningsOnCreate: () => [],
  warningsOnUpdate: () => [],
  validateName: nameIsDnsSubdomain,
  resetFields: [],
};

/** Makes `field` what it was in `old`, absent included. */
export function keepOld<T extends JsonObject>(
  object: T,
  old: T,
  field: keyof NoInfer<T> & string,
): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = old[field];
}

/**
 * Raises metadata.generation over the old one when one of the fields changed; otherwise keeps the
 * old one.
 */
export function bumpGeneration<T extends JsonObject>(
  object: T,
  old: T,
  fields: readonly (keyof NoInfer<T> & string)[],
): void {
  const generation = Number(metadataOf(old)["generation"] ?? 0);
  const changed = fields.some((field) => !equalJson(object[field] ?? {}, old[field] ?? {}));
  const next = changed ? generation + 1 : generation;
  if (next) metadataOf(object)["generation"] = next;
  else delete metadataOf(object)["generation"];
}

/** Rules of a kind with spec, status and a generation that follows the spec. */
export const specStatusStrategy: StrategyOverrides = {
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
export const statusStrategy: StrategyOverrides = {
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
