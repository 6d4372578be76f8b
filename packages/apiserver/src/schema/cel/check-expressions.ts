// Checks every expression of a definition's schema: it must compile, must not cost too much, and
// must not use oldSelf where nothing correlates.
// Upstream: k8s.io/apiextensions-apiserver v0.36
// pkg/apis/apiextensions/validation/{validation,cel_validation}.go.
import { compareBytewise, type JsonObject } from "homeostat/api";
import { kubernetesEnvironment } from "@homeostat/cel";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps, ValidationRule } from "../json-schema-props.ts";
import type { ExpressionCheckOptions } from "./check-rule-expressions.ts";
import { type CompiledRule, compileRule, ruleEnvironments } from "./compile-rule.ts";
import { childCardinality, RuleCosts } from "./rule-costs.ts";
import { schemaDeclType, type DeclType } from "./decl-type.ts";
import { additionalOf, itemsOf, type Place, placeOf } from "../schema-parts.ts";

/** The position of a node in the schema. */
interface Position {
  readonly path: string;
  readonly place: Place;
  /** Path of the outermost list around the node whose items do not correlate. */
  readonly uncorrelated: string | undefined;
  /** How often the node can occur in one object; undefined when unbounded. */
  readonly cardinality: bigint | undefined;
}

/** Errors in all expressions of a root schema, innermost first. The schema must be structural. */
export function checkExpressions(
  schema: JsonSchemaProps,
  path: string,
  options: ExpressionCheckOptions,
): FieldError[] {
  const costs = new RuleCosts(options.unchanged ? "tolerated" : "limited");
  const errors = checkNode(
    schema,
    { path, place: "resource", uncorrelated: undefined, cardinality: 1n },
    options,
    costs,
  );
  return [...errors, ...costs.totalErrors(path)];
}

function checkNode(
  schema: JsonSchemaProps,
  at: Position,
  options: ExpressionCheckOptions,
  costs: RuleCosts,
): FieldError[] {
  const errors: FieldError[] = [];
  const cardinality = childCardinality(schema, at.cardinality);
  const descend = (
    child: JsonSchemaProps | undefined,
    step: string,
    uncorrelated = at.uncorrelated,
  ): void => {
    if (!child) return;
    errors.push(
      ...checkNode(
        child,
        { path: `${at.path}.${step}`, place: placeOf(child), uncorrelated, cardinality },
        options,
        costs,
      ),
    );
  };
  descend(additionalOf(schema), "additionalProperties");
  for (const name of Object.keys(schema.properties ?? {}).sort(compareBytewise))
    descend(schema.properties![name], `properties[${name}]`);
  descend(
    itemsOf(schema),
    "items",
    at.uncorrelated ?? (schema["x-kubernetes-list-type"] === "map" ? undefined : at.path),
  );
  if (schema["x-kubernetes-validations"]?.length && !options.blocked(at.path))
    errors.push(...checkRules(schema, at, costs));
  return errors;
}

function checkRules(schema: JsonSchemaProps, at: Position, costs: RuleCosts): FieldError[] {
  const declared = schemaDeclType(schema, at.place);
  if (!declared)
    return [
      {
        type: "InternalError",
        field: `${at.path}.x-kubernetes-validations`,
        body: "Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
      },
    ];
  const environments = ruleEnvironments(kubernetesEnvironment(), declared);
  return schema["x-kubernetes-validations"]!.flatMap((rule, i) =>
    checkRule(
      compileRule(rule, environments),
      declared,
      { ...at, path: `${at.path}.x-kubernetes-validations[${i}]` },
      costs,
    ),
  );
}

function checkRule(
  compiled: CompiledRule,
  declared: DeclType,
  at: Position,
  costs: RuleCosts,
): FieldError[] {
  const { rule } = compiled;
  const errors = costs.observeRule(compiled, declared, at.cardinality, `${at.path}.rule`);
  if (compiled.error !== undefined) errors.push(refuse(rule, `${at.path}.rule`, compiled.error));
  if (compiled.messageError !== undefined)
    errors.push(refuse(rule, `${at.path}.messageExpression`, compiled.messageError));
  else errors.push(...costs.observeMessage(compiled, declared, `${at.path}.messageExpression`));
  return [...errors, ...checkOldSelf(compiled, at)];
}

function checkOldSelf(
  { rule, usesOldSelf }: CompiledRule,
  { path, uncorrelated }: Position,
): FieldError[] {
  if (usesOldSelf)
    return uncorrelated === undefined
      ? []
      : [
          fieldError.invalid(
            `${path}.rule`,
            rule.rule,
            `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`,
          ),
        ];
  if (rule.optionalOldSelf === undefined || rule.optionalOldSelf === null) return [];
  return [
    fieldError.invalid(
      `${path}.optionalOldSelf`,
      rule.optionalOldSelf,
      "may not be set if oldSelf is not used in rule",
    ),
  ];
}

const refuse = (rule: ValidationRule, field: string, detail: string): FieldError =>
  fieldError.invalidInternal(
    field,
    ["apiextensions.ValidationRule", { ...rule } as JsonObject],
    detail,
  );
