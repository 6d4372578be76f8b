// Estimated costs of the rules of a definition: of each rule, multiplied by how often its node can
// occur, and of all rules together.
// Upstream: k8s.io/apiextensions-apiserver v0.36
// pkg/apis/apiextensions/validation/{validation,cel_validation}.go,
// pkg/apiserver/schema/cel/compilation.go (sizeEstimator, maxCardinality).
import { compareBytewise } from "homeostat/api";
import { type Estimate, estimateCost, type Program, type SizeOracle } from "@homeostat/cel";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { maxRequestBytes, type DeclType } from "./decl-type.ts";

/** Limits in cost units: of one expression, and of all expressions of one schema. */
const expressionLimit = 10_000_000;
const schemaLimit = 100_000_000;
/** Errors about the schema's limit name the most expensive rules that cost at least this much. */
const expensiveCost = schemaLimit / 100;
const maxNamedRules = 4;

/**
 * How often the children of a node can occur, given how often the node itself can; undefined when
 * unbounded.
 */
export function childCardinality(
  schema: JsonSchemaProps,
  cardinality: bigint | undefined,
): bigint | undefined {
  const factor = maxChildren(schema);
  return cardinality === undefined || factor === undefined ? undefined : cardinality * factor;
}

function maxChildren(schema: JsonSchemaProps): bigint | undefined {
  const atMost = (bound: number | undefined): bigint | undefined =>
    bound === undefined ? undefined : BigInt(Math.max(0, Number(bound)));
  if (schema.type === "array") return atMost(schema.maxItems);
  return schema.type === "object" && schema.additionalProperties !== undefined
    ? atMost(schema.maxProperties)
    : 1n;
}

/** Sums up the costs of one schema. */
export class RuleCosts {
  readonly #mode: "limited" | "tolerated";
  #total = 0;
  #expensive: { readonly path: string; readonly cost: number }[] = [];

  /** With `tolerated` single expressions may exceed their limit, as in an unchanged schema. */
  constructor(mode: "limited" | "tolerated") {
    this.#mode = mode;
  }

  /** Adds the cost of a rule. Returns the error when it exceeds the limit. */
  observeRule(
    compiled: CompiledRule,
    declared: DeclType,
    cardinality: bigint | undefined,
    path: string,
  ): FieldError[] {
    if (!compiled.program) return [];
    const times =
      cardinality === undefined
        ? Math.floor(maxRequestBytes / (declared.minBytes + 1))
        : Number(cardinality);
    return this.#observe(priceOf(compiled.program, declared) * times, "estimated rule cost", path);
  }

  /** Adds the cost of a messageExpression, which runs at most once. */
  observeMessage(compiled: CompiledRule, declared: DeclType, path: string): FieldError[] {
    return compiled.message
      ? this.#observe(priceOf(compiled.message, declared), "estimated messageExpression cost", path)
      : [];
  }

  /**
   * The error when the schema exceeds its limit, after one for each of the most expensive rules.
   */
  totalErrors(path: string): FieldError[] {
    if (this.#total <= schemaLimit) return [];
    const named = this.#expensive.map((rule) =>
      fieldError.forbidden(
        rule.path,
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      ),
    );
    return [
      ...named,
      fieldError.forbidden(
        path,
        overBudget(
          "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
          this.#total,
          schemaLimit,
        ),
      ),
    ];
  }

  #observe(cost: number, what: string, path: string): FieldError[] {
    this.#total += cost;
    if (cost >= expensiveCost)
      this.#expensive = [...this.#expensive, { path, cost }]
        .sort((a, b) => b.cost - a.cost || compareBytewise(a.path, b.path))
        .slice(0, maxNamedRules);
    return this.#mode === "limited" && cost > expressionLimit
      ? [fieldError.forbidden(path, overBudget(what, cost, expressionLimit))]
      : [];
  }
}

/** The factor prints as Go's `%f` or `%.1f` does. */
function overBudget(what: string, cost: number, limit: number): string {
  return `${what} exceeds budget by factor of ${formatFactor(cost / limit)} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

function formatFactor(factor: number): string {
  if (factor > 100) return "more than 100x";
  return factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
}

/** The worst-case cost of an expression. */
export const priceOf = (program: Program, declared: DeclType): number =>
  estimateCost(program.root, sizesOf(declared)).max;

/** Sizes by path: the first step is `self` or `oldSelf`, the others descend in the schema. */
function sizesOf(root: DeclType): SizeOracle {
  return (path): Estimate | undefined => {
    let node: DeclType | undefined = root;
    for (const step of path.slice(1)) {
      if (step === "@keys") return node.kind === "map" ? { min: 0, max: 0 } : undefined;
      node = step === "@items" || step === "@values" ? node.element : node.fields.get(step);
      if (!node) return undefined;
    }
    return { min: 0, max: node.maxElements };
  };
}
