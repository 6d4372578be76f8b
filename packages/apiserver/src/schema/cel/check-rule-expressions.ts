// Whether the expressions of a definition's schema compile, and what they cost. A schema without
// rules costs a walk.
// Upstream: k8s.io/apiextensions-apiserver v0.36
// pkg/apis/apiextensions/validation/{validation,cel_validation}.go.
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { loadRuleEngine } from "./load-rule-engine.ts";
import { hasRules } from "../schema-parts.ts";

/** What the caller knows beside the schema. */
export interface ExpressionCheckOptions {
  /** Nodes with other errors at or below them are left out. */
  readonly blocked: (path: string) => boolean;
  /** The schema is as it was: its expressions are not priced one by one again. */
  readonly unchanged: boolean;
}

/** Breaches in all expressions of a root schema, innermost first. The schema must be structural. */
export function checkRuleExpressions(
  schema: JsonSchemaProps,
  path: string,
  options: ExpressionCheckOptions,
): readonly FieldError[] {
  return hasRules(schema) ? loadRuleEngine().checkExpressions(schema, path, options) : [];
}
