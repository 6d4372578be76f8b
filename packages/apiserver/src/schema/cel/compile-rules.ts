// Compiles all rules of a schema. A schema without rules costs one walk and loads no engine.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (NewValidator).
import type { JsonSchemaProps } from "../json-schema-props.ts";
import type { CompiledRules } from "./compiled-rules.ts";
import { findRules } from "./find-rules.ts";
import { loadRuleEngine } from "./load-rule-engine.ts";
import { type Place, placeOf } from "../schema-parts.ts";

/**
 * Compiles the rules of a schema; undefined when it has none. Pass `place` "resource" for the root
 * of a custom resource.
 */
export function compileRules(
  schema: JsonSchemaProps,
  place: Place = placeOf(schema),
): CompiledRules | undefined {
  const tree = findRules(schema, place);
  if (!tree) return undefined;
  let runner: CompiledRules | undefined;
  return {
    evaluate: (input) =>
      (runner ??= loadRuleEngine().createRuleRunner(tree, schema)).evaluate(input),
  };
}
