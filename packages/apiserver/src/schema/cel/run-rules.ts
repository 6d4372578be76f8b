// Walks an object along the rules of its schema and runs them.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (Validator.Validate).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { kubernetesEnvironment, storedMinor } from "@homeostat/cel";
import { compileSchema } from "../structural/compile-schema.ts";
import { Correlation } from "../validation/correlated-object.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { type CompiledRule, compileRule, ruleEnvironments } from "./compile-rule.ts";
import type { CompiledRules } from "./compiled-rules.ts";
import { evaluateNode, type NodeRules, type Ratchet, RuleRun } from "./evaluate-rules.ts";
import type { RuleNode } from "./find-rules.ts";
import { MapListIndex } from "../map-list-index.ts";
import { adaptSchema, declareSchema } from "./decl-type.ts";

/** Cost units that one request may spend on rules. */
const requestBudget = 10_000_000;

/** Prepares a tree of rules; `schema` is the node that the tree was found in. */
export function createRuleRunner(tree: RuleNode, schema: JsonSchemaProps): CompiledRules {
  const root = new CompiledNode(tree);
  let node: ReturnType<typeof compileSchema> | undefined;
  return {
    evaluate(input) {
      const run = new RuleRun(input.budget ?? requestBudget, input.warn);
      const ratchets = input.warn !== undefined && input.old !== undefined;
      const current = ratchets
        ? new Correlation(input.object, input.old!, (node ??= compileSchema(schema)))
        : undefined;
      visit(root, input.object, input.old, input.path, { current, parent: undefined }, run);
      return { errors: run.errors, remainingBudget: run.budget };
    },
  };
}

/** A node whose expressions compile when they first run. */
class CompiledNode {
  readonly tree: RuleNode;
  readonly items: CompiledNode | undefined;
  readonly additional: CompiledNode | undefined;
  readonly properties: ReadonlyMap<string, CompiledNode>;
  readonly branches: readonly CompiledNode[];
  #rules: NodeRules | undefined;

  constructor(tree: RuleNode) {
    this.tree = tree;
    this.items = tree.items && new CompiledNode(tree.items);
    this.additional = tree.additional && new CompiledNode(tree.additional);
    this.properties = new Map(
      Array.from(tree.properties, ([name, child]) => [name, new CompiledNode(child)]),
    );
    this.branches = tree.branches.map((branch) => new CompiledNode(branch));
  }

  get rules(): NodeRules {
    return (this.#rules ??= compileNode(this.tree));
  }
}

function compileNode({ schema, rules, place }: RuleNode): NodeRules {
  const declared = declareSchema(schema, place);
  const type = schema.type ?? "";
  if (!declared)
    return {
      schema,
      type,
      adapt: adaptSchema(schema, place),
      rules: [],
      error: rules.length ? "failed to convert to declType for CEL validation rules" : undefined,
    };
  const environments = ruleEnvironments(kubernetesEnvironment(storedMinor), declared);
  const compiled: readonly CompiledRule[] = rules.map((rule) => compileRule(rule, environments));
  return { schema, type, adapt: adaptSchema(schema, place), rules: compiled, error: undefined };
}

function visit(
  node: CompiledNode,
  value: Json,
  old: Json | undefined,
  path: string,
  ratchet: Ratchet,
  run: RuleRun,
): void {
  if (value === null || run.isOver) return;
  if (node.tree.rules.length > 0)
    evaluateNode(node.rules, value, old ?? undefined, path, ratchet, run);
  for (const branch of node.branches)
    visit(branch, value, old, path, { current: undefined, parent: ratchet.parent }, run);
  if (Array.isArray(value))
    visitItems(node, value, Array.isArray(old) ? old : [], path, ratchet, run);
  else if (isObject(value))
    visitMembers(node, value, isObject(old) ? old : undefined, path, ratchet, run);
}

function visitItems(
  node: CompiledNode,
  value: readonly Json[],
  old: readonly Json[],
  path: string,
  ratchet: Ratchet,
  run: RuleRun,
): void {
  const { items } = node;
  if (!items) return;
  const index = new MapListIndex(node.tree.schema, old);
  for (let i = 0; i < value.length && !run.isOver; i++) {
    const inner = ratchet.current
      ? { current: ratchet.current.item(i), parent: ratchet.current }
      : ratchet;
    visit(items, value[i]!, index.find(value[i]!), `${path}[${i}]`, inner, run);
  }
}

function visitMembers(
  node: CompiledNode,
  value: JsonObject,
  old: JsonObject | undefined,
  path: string,
  ratchet: Ratchet,
  run: RuleRun,
): void {
  for (const name of Object.keys(value)) {
    if (run.isOver) return;
    const oldValue = old && Object.hasOwn(old, name) ? old[name] : undefined;
    const inner = memberRatchet(ratchet, name);
    if (node.additional)
      visit(node.additional, value[name]!, oldValue, `${path}[${name}]`, inner, run);
    const property = node.properties.get(name);
    if (property)
      visit(property, value[name]!, oldValue, path ? `${path}.${name}` : name, inner, run);
  }
}

/** apiVersion and kind of the root never ratchet: whatever they were, both sides show the same. */
function memberRatchet(ratchet: Ratchet, name: string): Ratchet {
  if (!ratchet.current) return ratchet;
  if (!ratchet.parent && (name === "apiVersion" || name === "kind"))
    return { current: undefined, parent: undefined };
  return { current: ratchet.current.member(name), parent: ratchet.current };
}
