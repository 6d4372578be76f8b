// Checks that the expressions of a definition's schema compile within their cost limits. A schema
// without rules costs one walk and loads no engine.
// Upstream: k8s.io/apiextensions-apiserver v0.36
// pkg/apis/apiextensions/validation/{validation,cel_validation}.go.
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { loadRuleEngine } from "./load-rule-engine.ts";
import { hasRules } from "../schema-parts.ts";

/** How to check a schema. */
export interface ExpressionCheckOptions {
  /** Whether the node at `path` has other errors at or below it; its rules are not checked. */
  readonly blocked: (path: string) => boolean;
  /** The schema has not changed: single expressions may exceed their limit. */
  readonly unchanged: boolean;
}

/** Errors in all expressions of a root schema, innermost first. The schema must be structural. */
export function checkRuleExpressions(
  schema: JsonSchemaProps,
  path: string,
  options: ExpressionCheckOptions,
): readonly FieldError[] {
  return hasRules(schema) ? loadRuleEngine().checkExpressions(schema, path, options) : [];
}
