// Validates a value against a compiled schema: the fast check first, the explanation only when
// something is wrong.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/validation/validation.go
// (ValidateCustomResource, …Update), pkg/registry/customresource/strategy.go (hasBlockingErr).
import type { Json } from "homeostat/api";
import { type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import { acceptsValue } from "./accepts-value.ts";
import type { Correlation } from "./correlated-object.ts";
import { explainValue } from "./explain-value.ts";
import { toFieldErrors } from "./schema-fault.ts";
import type { SchemaNode } from "../schema-node.ts";

const nothing: readonly FieldError[] = [];

/** What a value is validated with. */
export interface SchemaValidation {
  /** Where the value stands, e.g. `status`; "" for a whole object. */
  readonly base?: string;
  /** On update: the value beside its earlier state; faults in unchanged parts are tolerated. */
  readonly correlation?: Correlation | undefined;
}

/** Every breach of the schema, CEL rules, embedded metadata and list uniqueness apart. */
export function validateSchema(
  value: Json,
  node: SchemaNode,
  options: SchemaValidation = {},
): readonly FieldError[] {
  if (acceptsValue(value, node)) return nothing;
  return toFieldErrors(explainValue(value, node, options.correlation), options.base ?? "");
}

const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/**
 * The error that stands in for CEL rules when the object is too broken to run them; undefined when
 * they can run.
 */
export function blockingError(errors: readonly FieldError[]): FieldError | undefined {
  if (!errors.some((error) => blocking.has(error.type))) return undefined;
  return invalid(
    "<nil>",
    null,
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
  );
}
