// All rules of a schema, ready to run over objects. Finding out that there are none costs a walk
// and nothing else.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (NewValidator).
import type { JsonSchemaProps } from "../json-schema-props.ts";
import type { CompiledRules } from "./compiled-rules.ts";
import { findRules } from "./find-rules.ts";
import { loadRuleEngine } from "./load-rule-engine.ts";
import { type Place, placeOf } from "../schema-parts.ts";

/**
 * Compiles the rules of a schema; undefined when it has none. `place` is "resource" for roots of
 * custom resources; embedded ones tell by themselves.
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
