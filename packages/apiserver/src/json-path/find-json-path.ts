// Evaluates a parsed JSONPath on a JSON value. Members are visited in their own order; upstream's
// order is random.
// Upstream: k8s.io/client-go/util/jsonpath/jsonpath.go,
// third_party/forked/golang/template/funcs.go.
import { isObject, type Json } from "homeostat/api";
import { formatGoValue } from "../apimachinery/values/go-format.ts";
import type { JsonPath, JsonPathNode, Slice } from "./json-path-node.ts";

/** The path cannot be evaluated on the value; the message is upstream's. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}

export interface FindOptions {
  readonly missingKeys: "allowed" | "error";
}

/** The results of each node of the template, in order. Throws {@link JsonPathError}. */
export function findJsonPath(
  path: JsonPath,
  data: Json,
  options: FindOptions,
): readonly (readonly Json[])[] {
  const run = new Run(options.missingKeys === "allowed");
  return run.template(path.nodes, 0, data, 0).results;
}

class Run {
  readonly #lenient: boolean;

  constructor(lenient: boolean) {
    this.#lenient = lenient;
  }

  /**
   * Evaluates nodes from `from` on. Inside a range, stops at its `end` and returns that index.
   */
  template(
    nodes: readonly JsonPathNode[],
    from: number,
    data: Json,
    depth: number,
  ): { readonly results: (readonly Json[])[]; readonly at: number } {
    const results: (readonly Json[])[] = [];
    for (let i = from; i < nodes.length; i++) {
      const mark = rangeMark(nodes[i]!);
      if (mark === "end") {
        if (depth === 0) throw new JsonPathError("not in range, nothing to end");
        return { results, at: i };
      }
      const found = this.#walk([data], nodes[i]!);
      if (mark !== "range") {
        results.push(found);
        continue;
      }
      let end = nodes.length;
      // Without results the block runs once on null to find its end.
      for (const item of found.length ? found : [null]) {
        const block = this.template(nodes, i + 1, item, depth + 1);
        if (found.length) results.push(...block.results);
        end = block.at;
      }
      i = end;
    }
    return { results, at: nodes.length };
  }

  #walk(input: readonly Json[], node: JsonPathNode): readonly Json[] {
    switch (node.at) {
      case "list":
        return this.#list(input, node.nodes);
      case "text":
        return [node.text];
      case "field":
        return this.#field(input, node.name);
      case "array":
        return input.flatMap((value) => (value === null ? [] : sliceOf(value, node.slice)));
      case "filter":
        return this.#filter(input, node);
      case "number":
      case "bool":
        return input.map(() => node.value);
      case "wildcard":
        return input.flatMap(childrenOf);
      case "recursive":
        return descend(input);
      case "union":
        return node.members.flatMap((member) => this.#list(input, member));
      case "identifier":
        if (node.name === "range") return input;
        throw new JsonPathError(
          node.name === "end"
            ? "not in range, nothing to end"
            : `unrecognized identifier ${node.name}`,
        );
    }
  }

  #list(input: readonly Json[], nodes: readonly JsonPathNode[]): readonly Json[] {
    return nodes.reduce<readonly Json[]>((current, node) => this.#walk(current, node), input);
  }

  #field(input: readonly Json[], name: string): readonly Json[] {
    if (input.length === 0) return [];
    const results: Json[] = [];
    for (const value of input)
      if (isObject(value) && Object.hasOwn(value, name)) results.push(value[name]!);
    if (results.length === 0 && !this.#lenient) throw new JsonPathError(`${name} is not found`);
    return results;
  }

  #filter(input: readonly Json[], node: JsonPathNode & { readonly at: "filter" }): readonly Json[] {
    const results: Json[] = [];
    for (const value of input) {
      if (!Array.isArray(value))
        throw new JsonPathError(
          `${formatGoValue(value)} is not array or slice and cannot be filtered`,
        );
      for (const item of value) if (this.#passes(item, node)) results.push(item);
    }
    return results;
  }

  #passes(
    item: Json,
    { left, right, operator }: JsonPathNode & { readonly at: "filter" },
  ): boolean {
    if (operator === "exists") return this.#exists(item, left);
    const lefts = this.#list([item], left);
    if (lefts.length === 0) return false;
    if (lefts.length > 1) throw new JsonPathError("can only compare one element at a time");
    const rights = this.#list([item], right);
    if (rights.length === 0) return false;
    if (rights.length > 1) throw new JsonPathError("can only compare one element at a time");
    return compare(
      { value: lefts[0]!, kind: kindOf(lefts[0]!, left) },
      { value: rights[0]!, kind: kindOf(rights[0]!, right) },
      operator,
    );
  }

  #exists(item: Json, left: readonly JsonPathNode[]): boolean {
    try {
      return this.#list([item], left).length > 0;
    } catch (error) {
      if (error instanceof JsonPathError) return false;
      throw error;
    }
  }
}

/** The first identifier of a list marks `{range …}` and `{end}`. */
function rangeMark(node: JsonPathNode): "range" | "end" | undefined {
  const first = node.at === "list" ? node.nodes[0] : undefined;
  return first?.at === "identifier" && (first.name === "range" || first.name === "end")
    ? first.name
    : undefined;
}

const bytesOf = (text: string): Json[] => [...Buffer.from(text)];

function childrenOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return Object.values(value);
  return typeof value === "string" ? bytesOf(value) : [];
}

/** All values that have children, parents first. */
function descend(values: readonly Json[]): readonly Json[] {
  return values.flatMap((value) => {
    const children = childrenOf(value);
    return children.length ? [value, ...descend(children)] : [];
  });
}

function sliceOf(value: Json, slice: Slice): readonly Json[] {
  if (!Array.isArray(value))
    throw new JsonPathError(
      `${isObject(value) ? "map[string]interface {}" : typeof value} is not array or slice`,
    );
  const size = value.length;
  let start = slice.start ?? 0;
  let end = slice.end ?? size;
  if (start < 0) start += size;
  if (end < 0 || (end === 0 && slice.single)) end += size;
  if (start === end) return [];
  if (start >= size || start < 0)
    throw new JsonPathError(`array index out of bounds: index ${start}, length ${size}`);
  if (end > size || end < 0)
    throw new JsonPathError(`array index out of bounds: index ${end - 1}, length ${size}`);
  if (start > end)
    throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`);
  const step = slice.step ?? 1;
  if (step <= 0) throw new JsonPathError("step must be > 0");
  const picked: Json[] = [];
  for (let i = start; i < end; i += step) picked.push(value[i]!);
  return picked;
}

type Basic = "bool" | "int" | "float" | "string";

interface Operand {
  readonly value: Json;
  readonly kind: Basic;
}

/** A literal such as `1.0` is a float in Go. */
function kindOf(value: Json, nodes: readonly JsonPathNode[]): Basic {
  const literal = nodes.length === 1 ? nodes[0] : undefined;
  if (literal?.at === "number" && literal.float) return "float";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int" : "float";
  throw new JsonPathError("invalid type for comparison");
}

function compare(left: Operand, right: Operand, operator: string): boolean {
  if (left.kind !== right.kind) throw new JsonPathError("incompatible types for comparison");
  const equal = left.value == right.value;
  switch (operator) {
    case "==":
      return equal;
    case "!=":
      return !equal;
    case "<":
      return isLess(left, right);
    case ">":
      return !isLess(left, right) && !equal;
    case "<=":
      return isLess(left, right) || equal;
    case ">=":
      return !isLess(left, right);
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}

function isLess(left: Operand, right: Operand): boolean {
  if (left.kind === "bool") throw new JsonPathError("invalid type for comparison");
  return left.value! < right.value!;
}
