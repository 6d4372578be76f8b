// Runs all rules of a schema on an object, from the root down.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (Validator.Validate).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { kubernetesEnvironment, storedMinor } from "@homeostat/cel";
import { compileSchema } from "../structural/compile-schema.ts";
import { CorrelatedObject } from "../validation/correlated-object.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { adaptSchema } from "./adapt-schema.ts";
import { type CompiledRule, compileRule, ruleEnvironments } from "./compile-rule.ts";
import type { CompiledRules } from "./compiled-rules.ts";
import { evaluateNode, type NodeRules } from "./evaluate-rules.ts";
import type { RuleNode } from "./find-rules.ts";
import { MapListIndex } from "../map-list-index.ts";
import { type Ratchet, RuleRun, type RuleSubject } from "./rule-run.ts";
import { schemaDeclType } from "./decl-type.ts";

/** Cost units that one request may spend on rules. */
const requestBudget = 10_000_000;

/** Prepares a tree of rules; `schema` is the schema of its root. */
export function createRuleRunner(tree: RuleNode, schema: JsonSchemaProps): CompiledRules {
  const root = new CompiledNode(tree);
  let node: ReturnType<typeof compileSchema> | undefined;
  return {
    evaluate(input) {
      const run = new RuleRun(input.budget ?? requestBudget);
      const ratchets = input.ratchets === true && input.old !== undefined;
      const current = ratchets
        ? new CorrelatedObject(input.object, input.old!, (node ??= compileSchema(schema)))
        : undefined;
      const ratchet = { current, parent: undefined };
      visit(root, { value: input.object, old: input.old, path: input.path, ratchet }, run);
      return { errors: run.errors, warnings: run.warnings, remainingBudget: run.budget };
    },
  };
}

/** A node whose rules compile when they first run. */
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
  const declared = schemaDeclType(schema, place);
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

function visit(node: CompiledNode, subject: RuleSubject, run: RuleRun): void {
  const { value, old, ratchet } = subject;
  if (value === null || run.isOver) return;
  if (node.tree.rules.length > 0)
    evaluateNode(node.rules, { ...subject, old: old ?? undefined }, run);
  for (const branch of node.branches)
    visit(branch, { ...subject, ratchet: { current: undefined, parent: ratchet.parent } }, run);
  if (Array.isArray(value)) visitItems(node, value, subject, run);
  else if (isObject(value)) visitMembers(node, value, subject, run);
}

function visitItems(
  node: CompiledNode,
  items: readonly Json[],
  { old, path, ratchet }: RuleSubject,
  run: RuleRun,
): void {
  if (!node.items) return;
  const oldItems = new MapListIndex(
    Array.isArray(old) && isMapList(node.tree.schema) ? old : [],
    node.tree.schema["x-kubernetes-list-map-keys"] ?? [],
  );
  for (const [i, value] of items.entries()) {
    if (run.isOver) return;
    visit(
      node.items,
      {
        value,
        old: oldItems.find(value),
        path: `${path}[${i}]`,
        ratchet: itemRatchet(ratchet, i),
      },
      run,
    );
  }
}

/** Other lists correlate as a whole only. */
const isMapList = (schema: JsonSchemaProps): boolean =>
  schema.type === "array" &&
  schema["x-kubernetes-list-type"] === "map" &&
  (schema["x-kubernetes-list-map-keys"] ?? []).length > 0;

const itemRatchet = (ratchet: Ratchet, index: number): Ratchet =>
  ratchet.current ? { current: ratchet.current.item(index), parent: ratchet.current } : ratchet;

function visitMembers(
  node: CompiledNode,
  object: JsonObject,
  { old, path, ratchet }: RuleSubject,
  run: RuleRun,
): void {
  for (const [name, value] of Object.entries(object)) {
    if (run.isOver) return;
    const oldValue = isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
    const member = { value, old: oldValue, ratchet: memberRatchet(ratchet, name) };
    if (node.additional) visit(node.additional, { ...member, path: `${path}[${name}]` }, run);
    const property = node.properties.get(name);
    if (property) visit(property, { ...member, path: path ? `${path}.${name}` : name }, run);
  }
}

/** The root's apiVersion and kind never ratchet. */
function memberRatchet(ratchet: Ratchet, name: string): Ratchet {
  if (!ratchet.current) return ratchet;
  if (!ratchet.parent && (name === "apiVersion" || name === "kind"))
    return { current: undefined, parent: undefined };
  return { current: ratchet.current.member(name), parent: ratchet.current };
}
