// The rules that most kinds share: immutable fields, finalizers, and when an update validates the
// whole object again.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateImmutableField,
// ValidateFinalizerName, ValidateObjectMeta).
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  type InternalValue,
} from "../../apimachinery/errors/field-error.ts";
import type { DecodedObject } from "../../apimachinery/meta/read-meta.ts";
import { type NameRule, validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import { nameIsDnsSubdomain } from "./names.ts";

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
  { spec }: { spec?: Json },
  { spec: old }: { spec?: Json },
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

/**
 * Every breach of the metadata rules, which an update that validates the whole object repeats.
 * Upstream: ValidateObjectMeta in k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
export const metadataErrors = (
  object: DecodedObject & JsonObject,
  {
    namespaced,
    validateName = nameIsDnsSubdomain,
  }: { readonly namespaced: boolean; readonly validateName?: NameRule },
): FieldError[] => [
  ...validateObjectMeta(object, { namespaced }, validateName),
  ...finalizerErrors(object),
];

/** What a kind validates on every write, and what on updates only. */
export interface WholeObjectRules<T extends object> {
  /** Set where updates validate metadata again; elsewhere they validate only its finalizers. */
  readonly namespaced?: boolean;
  /** {@link Strategy.metadataChanges} */
  readonly metadataChanges?: "common";
  /** Default: {@link nameIsDnsSubdomain}. */
  readonly validateName?: NameRule;
  /** The rules beyond metadata; `old` is the stored object on update. */
  validate(object: T, old: T | undefined): readonly FieldError[];
  validateChange?(object: T, old: T): readonly FieldError[];
}

/** Validation of a kind whose updates validate the whole object again, and then the change. */
export const validateWholeObject = <T extends DecodedObject & JsonObject>({
  namespaced,
  metadataChanges,
  validateName = nameIsDnsSubdomain,
  validate,
  validateChange = () => [],
}: WholeObjectRules<T>): Pick<
  Strategy<T>,
  "validateName" | "validateCreate" | "validateUpdate" | "metadataChanges"
> => ({
  ...(metadataChanges ? { metadataChanges } : {}),
  validateName,
  validateCreate: (object) => [...finalizerErrors(object), ...validate(object, undefined)],
  validateUpdate: (object, old) => [
    ...(metadataChanges ? [] : finalizerErrors(object)),
    ...(namespaced === undefined ? [] : metadataErrors(object, { namespaced, validateName })),
    ...validate(object, old),
    ...validateChange(object, old),
  ],
});
