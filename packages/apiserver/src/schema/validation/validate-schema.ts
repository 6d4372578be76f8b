// Validates a value against a compiled schema: the fast check first, and the explanation only for
// invalid values.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/validation/validation.go
// (ValidateCustomResource, …Update), pkg/registry/customresource/strategy.go (hasBlockingErr).
import type { Json } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { acceptsValue } from "./accepts-value.ts";
import type { CorrelatedObject } from "./correlated-object.ts";
import { explainValue } from "./explain-value.ts";
import { toFieldErrors } from "./schema-fault.ts";
import type { SchemaNode } from "../schema-node.ts";

const noErrors: readonly FieldError[] = [];

/** How to validate a value. */
export interface SchemaValidation {
  /** Path of the value, e.g. `status`; "" for a whole object. */
  readonly base?: string;
  /** On update: the value beside the old one; errors in unchanged parts are tolerated. */
  readonly correlation?: CorrelatedObject | undefined;
}

/** All errors, apart from CEL rules, embedded metadata and list types. */
export function validateSchema(
  value: Json,
  node: SchemaNode,
  options: SchemaValidation = {},
): readonly FieldError[] {
  if (acceptsValue(value, node)) return noErrors;
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
 * The error that replaces the errors of CEL rules when schema errors keep them from running;
 * undefined when rules can run.
 */
export function blockingError(errors: readonly FieldError[]): FieldError | undefined {
  if (!errors.some((error) => blocking.has(error.type))) return undefined;
  return fieldError.invalid(
    "<nil>",
    null,
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
  );
}
