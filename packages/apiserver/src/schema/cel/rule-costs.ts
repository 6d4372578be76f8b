// The price of a definition's rules: each one times how often its node can occur, and all of them
// together.
// Upstream: k8s.io/apiextensions-apiserver v0.36
// pkg/apis/apiextensions/validation/{validation,cel_validation}.go,
// pkg/apiserver/schema/cel/compilation.go (sizeEstimator, maxCardinality).
import { compareBytewise } from "homeostat/api";
import { type Estimate, estimateCost, type Program, type SizeOracle } from "@homeostat/cel";
import { type FieldError, forbidden } from "../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { maxRequestBytes, type SchemaDeclaration } from "./decl-type.ts";

/** Most cost units of one expression, and of all expressions of one schema. */
const expressionLimit = 10_000_000;
const schemaLimit = 100_000_000;
/** Rules below this share of the schema's limit are not named when it is exceeded. */
const notable = schemaLimit / 100;
const mostNamed = 4;

/**
 * How often the children of a node can occur, given how often the node itself can; undefined where
 * nothing bounds that.
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

/** Adds up the costs of one schema. */
export class RuleCosts {
  readonly #mode: "limited" | "tolerated";
  #total = 0;
  #expensive: { readonly path: string; readonly cost: number }[] = [];

  /** `tolerated` leaves single expressions alone: they were accepted before. */
  constructor(mode: "limited" | "tolerated") {
    this.#mode = mode;
  }

  /** Prices a rule. */
  observeRule(
    compiled: CompiledRule,
    declared: SchemaDeclaration,
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

  /** Prices a messageExpression, which runs once at most. */
  observeMessage(compiled: CompiledRule, declared: SchemaDeclaration, path: string): FieldError[] {
    return compiled.message
      ? this.#observe(priceOf(compiled.message, declared), "estimated messageExpression cost", path)
      : [];
  }

  /** The breach of the schema's own limit, with the rules that weigh most. */
  totalErrors(path: string): FieldError[] {
    if (this.#total <= schemaLimit) return [];
    const named = this.#expensive.map((rule) =>
      forbidden(
        rule.path,
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      ),
    );
    return [
      ...named,
      forbidden(
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
    if (cost >= notable)
      this.#expensive = [...this.#expensive, { path, cost }]
        .sort((a, b) => b.cost - a.cost || compareBytewise(a.path, b.path))
        .slice(0, mostNamed);
    return this.#mode === "limited" && cost > expressionLimit
      ? [forbidden(path, overBudget(what, cost, expressionLimit))]
      : [];
  }
}

/** Go's `%f` and `%.1f` of the factor, which is not named beyond 100. */
function overBudget(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown =
    factor > 100
      ? "more than 100x"
      : factor < 1.5
        ? `${factor.toFixed(6)}x`
        : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** An expression's worst cost. */
export const priceOf = (program: Program, declared: SchemaDeclaration): number =>
  estimateCost(program.root, sizesOf(declared)).max;

/** Sizes by path: the first step is `self` or `oldSelf`, the others lead through the schema. */
function sizesOf(root: SchemaDeclaration): SizeOracle {
  return (path): Estimate | undefined => {
    let node: SchemaDeclaration | undefined = root;
    for (const step of path.slice(1)) {
      if (step === "@keys") return node.kind === "map" ? { min: 0, max: 0 } : undefined;
      node = step === "@items" || step === "@values" ? node.element : node.fields.get(step);
      if (!node) return undefined;
    }
    return { min: 0, max: node.maxElements };
  };
}
