// The rules of a schema as a tree of those nodes that have rules at or below them.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (NewValidator, validator).
import type { JsonSchemaProps, ValidationRule } from "../json-schema-props.ts";
import { additionalOf, hasRules, itemsOf, type Place, placeOf } from "../schema-parts.ts";

/** One node with rules at or below it. */
export interface RuleNode {
  /** The structural schema of the values; rules in allOf apply to the node around it. */
  readonly schema: JsonSchemaProps;
  readonly rules: readonly ValidationRule[];
  readonly place: Place;
  readonly items: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additional: RuleNode | undefined;
  readonly branches: readonly RuleNode[];
}

/** The tree; undefined when the structural schema has no rules. */
export function findRules(schema: JsonSchemaProps, place: Place): RuleNode | undefined {
  return hasRules(schema) ? findNode(schema, schema, place) : undefined;
}

/** `validation` holds the rules and `spine` the structural schema; they differ only below allOf. */
function findNode(
  validation: JsonSchemaProps,
  spine: JsonSchemaProps,
  place: Place,
): RuleNode | undefined {
  const below = (
    inner: JsonSchemaProps | undefined,
    innerSpine: JsonSchemaProps | undefined,
  ): RuleNode | undefined =>
    inner && innerSpine ? findNode(inner, innerSpine, placeOf(innerSpine)) : undefined;
  const items = below(itemsOf(validation), itemsOf(spine));
  const additional = below(additionalOf(validation), additionalOf(spine));
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(validation.properties ?? {})) {
    const found = below(property, spine.properties?.[name]);
    if (found) properties.set(name, found);
  }
  const branches = (validation.allOf ?? [])
    .map((branch) => findNode(branch, spine, place))
    .filter((branch) => branch !== undefined);
  const rules = validation["x-kubernetes-validations"] ?? [];
  if (rules.length === 0 && !items && !additional && properties.size === 0 && branches.length === 0)
    return undefined;
  return { schema: spine, rules, place, items, properties, additional, branches };
}
