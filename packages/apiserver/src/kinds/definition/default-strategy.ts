// The parts that the strategies of most kinds share: of plain objects, and of objects with a spec
// and a status.
// Upstream: the strategies under k8s.io/kubernetes/pkg/registry, which differ from these in a few
// lines each.
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  type InternalValue,
} from "../../apimachinery/errors/field-error.ts";
import { type DecodedObject, metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { type NameRule, validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { StrategyOverrides } from "./kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";

/** The strategy of an object that has a valid name, and neither generation nor status. */
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

/** Resets `field` to its value in `old`; removes it when `old` has none. */
export function keepOld<T extends object>(
  object: T,
  old: NoInfer<T>,
  field: keyof NoInfer<T> & string,
): void {
  if (old[field] === undefined) delete (object as Partial<T>)[field];
  else object[field] = old[field];
}

/**
 * Increments the old metadata.generation when one of the fields changed; otherwise keeps the old
 * one.
 */
export function bumpGeneration<T extends DecodedObject>(
  object: T,
  old: NoInfer<T>,
  fields: readonly (keyof NoInfer<T> & string)[],
): void {
  const generation = Number(metadataOf(old).generation ?? 0);
  const changed = fields.some((field) => !equalJson(fieldOf(object, field), fieldOf(old, field)));
  const next = changed ? generation + 1 : generation;
  if (next) metadataOf(object).generation = next;
  else delete metadataOf(object).generation;
}

const fieldOf = <T extends object>(object: T, field: keyof T): Json =>
  (object[field] as Json | undefined) ?? {};

/** The strategy of a kind whose generation counts the changes of one field. */
export const generationStrategy = <T extends DecodedObject>(
  field: keyof T & string,
): Required<Pick<StrategyOverrides<T>, "prepareForCreate" | "prepareForUpdate">> => ({
  prepareForCreate: (object) => void (metadataOf(object).generation = 1),
  prepareForUpdate: (object, old) => bumpGeneration<T>(object, old, [field]),
});

/** An object with the two parts that most kinds have. */
export interface SpecStatusObject extends DecodedObject {
  spec?: Json;
  status?: Json;
}

/** The strategy of a kind with spec, status and a generation that follows the spec. */
export const specStatusStrategy: StrategyOverrides<SpecStatusObject> = {
  prepareForCreate(object) {
    object.status = {};
    metadataOf(object).generation = 1;
  },
  prepareForUpdate(object, old) {
    keepOld(object, old, "status");
    bumpGeneration(object, old, ["spec"]);
  },
  resetFields: [["f:status"]],
};

/** The strategy of a kind with spec and status whose generation stays unset. */
export const statusResetStrategy: StrategyOverrides<SpecStatusObject> = {
  prepareForCreate: (object) => void (object.status = {}),
  prepareForUpdate: (object, old) => keepOld(object, old, "status"),
  resetFields: [["f:status"]],
};

/** The strategy of the status subresource of both: spec stays unchanged. */
export const statusStrategy: StrategyOverrides<SpecStatusObject> = {
  prepareForUpdate: (object, old) => keepOld(object, old, "spec"),
  resetFields: [["f:spec"]],
};

/** `field is immutable` when the value changed; the message shows the new value. */
export function immutable(
  path: string,
  value: Json | undefined,
  old: Json | undefined,
): FieldError[] {
  return errorIf(!equalJson(value, old), () =>
    fieldError.invalid(path, value, "field is immutable"),
  );
}

/** `Invalid value: {"Spec":…}: field is immutable` for a value of an internal Go type. */
export function immutableInternal(
  path: string,
  [type, value]: InternalValue,
  old: Json | undefined,
): FieldError[] {
  return errorIf(!equalJson(value ?? null, old ?? null), () =>
    fieldError.invalidInternal(path, [type, value], "field is immutable"),
  );
}

/** {@link immutableInternal} for the whole spec; absent is empty. */
export const immutableSpec = (
  type: string,
  { spec }: SpecStatusObject,
  { spec: old }: SpecStatusObject,
): FieldError[] =>
  errorIf(!equalJson(spec ?? {}, old ?? {}), () =>
    fieldError.invalidInternal("spec", [type, spec], "field is immutable"),
  );

const standardFinalizers: ReadonlySet<string> = new Set([
  "kubernetes",
  "orphan",
  "foregroundDeletion",
]);

/** Whether a finalizer is a standard one or has a domain. */
export const isQualifiedFinalizer = (name: string): boolean =>
  name.includes("/") || standardFinalizers.has(name);

/**
 * The rule on finalizers beyond syntax that kinds of k8s.io/kubernetes have: an unqualified name
 * must be a standard one.
 */
export function finalizerNameErrors(name: string, path: string): FieldError[] {
  return errorIf(!isQualifiedFinalizer(name), () =>
    fieldError.invalid(
      path,
      name,
      "name is neither a standard finalizer name nor is it fully qualified",
    ),
  );
}

/** {@link finalizerNameErrors} of metadata.finalizers. */
export function finalizerErrors(object: DecodedObject): FieldError[] {
  return eachItem(object.metadata?.finalizers, "metadata.finalizers", finalizerNameErrors);
}

/** Where names live, and the rule for them when it is not {@link nameIsDnsSubdomain}. */
export interface MetadataRules {
  readonly namespaced: boolean;
  readonly validateName?: NameRule;
}

/**
 * Every breach of the metadata rules, which an update that validates the whole object repeats.
 * Upstream: ValidateObjectMeta in k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
export const metadataErrors = (
  object: DecodedObject & JsonObject,
  { namespaced, validateName = nameIsDnsSubdomain }: MetadataRules,
): FieldError[] => [
  ...validateObjectMeta(object, { namespaced }, validateName),
  ...finalizerErrors(object),
];

/** The rules of a kind whose updates validate the whole object again, and then the change. */
export interface WholeObjectRules<T extends object> extends MetadataRules {
  /** The rules of the whole object, beyond metadata; `old` is the stored one on update. */
  validate(object: T, old: T | undefined): readonly FieldError[];
  validateChange?(object: T, old: T): readonly FieldError[];
}

/** Validation by {@link WholeObjectRules}. */
export const validateWholeObject = <T extends DecodedObject & JsonObject>(
  rules: WholeObjectRules<T>,
): Required<Pick<StrategyOverrides<T>, "validateName" | "validateCreate" | "validateUpdate">> => ({
  validateName: rules.validateName ?? nameIsDnsSubdomain,
  validateCreate: (object) => [...finalizerErrors(object), ...rules.validate(object, undefined)],
  validateUpdate: (object, old) => [
    ...metadataErrors(object, rules),
    ...rules.validate(object, old),
    ...(rules.validateChange?.(object, old) ?? []),
  ],
});
