// Estimates the cost of an expression before any value is known. Sizes come from the caller's
// schema, from literals and from the results of calls.
// Upstream: github.com/google/cel-go v0.26 checker/cost.go.
import type * as ast from "../ast/ast.ts";
import { accumulatorName, type ByKind, type Expr } from "../ast/ast.ts";
import {
  addEstimates,
  type Estimate,
  fixed,
  multiplyEstimates,
  unknownSize,
  uniteEstimates,
} from "../cost/estimate.ts";
import {
  type CallEstimate,
  type CallSite,
  type CostNode,
  listCost,
  mapCost,
  type SizeOracle,
  structCost,
} from "../cost/price.ts";
import type { Overload } from "../functions/declarations.ts";
import { type Type, unwrapOptional } from "../types/type.ts";
import { codePointLength } from "../values/text.ts";
import type { CelValue } from "../values/value.ts";

/** Sizes of a container's keys and items. */
interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Estimate;
  readonly value: Estimate;
}

type Priced = Pick<Overload, "id" | "price">;

interface LocalVariable {
  readonly path: readonly string[];
  readonly size: Estimate | undefined;
  readonly entries: EntrySize | undefined;
}

/** The range of an expression's cost. The tree must be checked. */
export function estimateCost(root: Expr, sizeOf: SizeOracle): Estimate {
  return new CostEstimator(sizeOf).cost(root);
}

/** Computes costs and remembers the sizes of nodes. */
export class CostEstimator {
  readonly sizeByPath: SizeOracle;
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, Estimate>();
  readonly #entries = new Map<Expr, EntrySize>();
  readonly #locals = new Map<string, LocalVariable[]>();
  readonly #costs: ByKind<[], Estimate> = {
    literal: () => fixed(0),
    ident: (node) => this.#costIdent(node),
    select: (node) => this.#costSelect(node),
    call: (node) => this.#costCall(node),
    list: (node) => this.#costList(node),
    map: (node) => this.#costMap(node),
    struct: (node) => this.#costStruct(node),
    comprehension: (node) => (isBinding(node) ? this.#costBinding(node) : this.#costLoop(node)),
  };

  constructor(sizeByPath: SizeOracle) {
    this.sizeByPath = sizeByPath;
  }

  cost(node: Expr): Estimate {
    return (this.#costs[node.kind] as (node: Expr) => Estimate)(node);
  }

  #costIdent(node: ast.Ident): Estimate {
    this.#paths.set(node, this.#local(node.name)?.path ?? [node.name]);
    return fixed(1);
  }

  #costSelect(node: ast.Select): Estimate {
    if (node.ident !== undefined) {
      this.#paths.set(node, [node.ident]);
      return fixed(1);
    }
    const operand = this.cost(node.operand);
    if (node.testOnly) return operand;
    const kind = node.operand.type!.kind;
    this.#paths.set(node, [...this.#pathOf(node.operand), node.field]);
    return kind === "map" || kind === "struct" || kind === "param"
      ? addEstimates(operand, fixed(1))
      : operand;
  }

  #costCall(node: ast.Call): Estimate {
    if (node.function === "dyn") {
      const cost = addEstimates(fixed(1), this.cost(node.args[0]!));
      this.#copySizes(node, node.args[0]!);
      return cost;
    }
    const argCosts = node.args.map((arg) => this.cost(arg));
    const args = node.args.map((arg) => this.#costNode(arg));
    const targetCost = node.target ? this.cost(node.target) : fixed(0);
    const target = node.target && this.#costNode(node.target);
    const site: CallSite = { target, args, sizeByPath: this.sizeByPath };
    let own: Estimate | undefined;
    let size: Estimate | undefined;
    for (const overload of overloadsOf(node)) {
      const { id } = overload;
      const estimate = this.#costOverload(node, overload, site, argCosts);
      own = own ? uniteEstimates(own, estimate.cost) : estimate.cost;
      if (estimate.resultSize)
        size = size ? uniteEstimates(size, estimate.resultSize) : estimate.resultSize;
      if (id === "index_list" || id === "index_map") {
        size = this.#entriesOf(node.args[0]!)?.value;
        this.#paths.set(node, [
          ...this.#pathOf(node.args[0]!),
          id === "index_list" ? "@items" : "@values",
        ]);
      }
      size ??= this.#sizeOf(node);
    }
    if (size) this.#sizes.set(node, size);
    return own ? addEstimates(targetCost, own) : fixed(0);
  }

  /** Control flow is estimated here, every other call by its overload's price. */
  #costOverload(
    node: ast.Call,
    { id, price }: Priced,
    site: CallSite,
    argCosts: readonly Estimate[],
  ): CallEstimate {
    if (id === "logical_and" || id === "logical_or")
      return { cost: { min: argCosts[0]!.min, max: addEstimates(argCosts[0]!, argCosts[1]!).max } };
    if (id === "conditional") {
      this.#uniteEntries(node, node.args[1]!, node.args[2]!);
      return {
        cost: addEstimates(argCosts[0]!, uniteEstimates(argCosts[1]!, argCosts[2]!)),
        resultSize: uniteEstimates(
          site.args[1]!.size ?? unknownSize,
          site.args[2]!.size ?? unknownSize,
        ),
      };
    }
    if (id === "add_list" || id === "add_string" || id === "add_bytes")
      this.#uniteEntries(node, node.args[0]!, node.args[1]!);
    const estimate = price?.estimate?.(site) ?? { cost: fixed(1) };
    return { ...estimate, cost: addEstimates(estimate.cost, ...argCosts) };
  }

  #uniteEntries(node: Expr, left: Expr, right: Expr): void {
    const a = this.#entriesOf(left);
    const b = this.#entriesOf(right);
    if (a && b)
      this.#entries.set(node, {
        container: a.container,
        key: uniteEstimates(a.key, b.key),
        value: uniteEstimates(a.value, b.value),
      });
  }

  #costList(node: ast.ListExpr): Estimate {
    const costs = node.elements.map((element) => this.cost(element));
    this.#entries.set(node, {
      container: "list",
      key: fixed(1),
      value: this.#uniteSizes(node.elements),
    });
    return addEstimates(...costs, fixed(listCost));
  }

  #costMap(node: ast.MapExpr): Estimate {
    const costs = node.entries.flatMap((entry) => [this.cost(entry.key), this.cost(entry.value)]);
    this.#entries.set(node, {
      container: "map",
      key: this.#uniteSizes(node.entries.map((entry) => entry.key)),
      value: this.#uniteSizes(node.entries.map((entry) => entry.value)),
    });
    return addEstimates(...costs, fixed(mapCost));
  }

  #costStruct(node: ast.StructExpr): Estimate {
    const costs = node.fields.map((field) => this.cost(field.value));
    return addEstimates(...costs, fixed(structCost));
  }

  #uniteSizes(nodes: readonly Expr[]): Estimate {
    return nodes.length === 0
      ? fixed(0)
      : nodes.map((node) => this.#sizeOf(node) ?? unknownSize).reduce(uniteEstimates);
  }

  #costLoop(node: ast.Comprehension): Estimate {
    const range = this.cost(node.range);
    const init = this.cost(node.init);
    this.#pushAccumulator(node);
    this.#pushLoopVariables(node);
    const perItem = addEstimates(this.cost(node.condition), this.cost(node.step));
    this.#pop(node.variable);
    if (node.variable2 !== undefined) this.#pop(node.variable2);
    const result = this.cost(node.result);
    this.#pop(node.accumulator);
    const count = this.#sizeOf(node.range) ?? unknownSize;
    this.#learnLoopSize(node, count);
    return addEstimates(range, init, result, multiplyEstimates(count, perItem));
  }

  #pushAccumulator({ accumulator, init }: ast.Comprehension): void {
    this.#push(accumulator, {
      path: this.#pathOf(init),
      size: this.#sizeOf(init),
      entries: this.#entriesOf(init),
    });
  }

  #learnLoopSize(node: ast.Comprehension, count: Estimate): void {
    if (node.init.kind === "literal") {
      const size = this.#sizeOf(node.init);
      if (size) this.#sizes.set(node, size);
    } else if (node.init.kind === "list" || node.init.kind === "map") {
      this.#sizes.set(node, count);
      const entries = this.#entriesOf(node.step);
      if (entries) this.#entries.set(node, entries);
    }
  }

  #pushLoopVariables(node: ast.Comprehension): void {
    const entries = this.#entriesOf(node.range);
    const isList = (entries?.container ?? node.range.type!.kind) === "list";
    const path = this.#pathOf(node.range);
    const items: LocalVariable = {
      path: [...path, isList ? "@items" : "@values"],
      size: entries?.value,
      entries: undefined,
    };
    const keys: LocalVariable = {
      path: [...path, isList ? "@indices" : "@keys"],
      size: entries?.key,
      entries: undefined,
    };
    if (node.variable2 === undefined) return this.#push(node.variable, isList ? items : keys);
    this.#push(node.variable, keys);
    this.#push(node.variable2, items);
  }

  #costBinding(node: ast.Comprehension): Estimate {
    const range = this.cost(node.range);
    const init = this.cost(node.init);
    this.#pushAccumulator(node);
    const result = this.cost(node.result);
    this.#pop(node.accumulator);
    this.#copySizes(node, node.result);
    return addEstimates(range, init, result);
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#sizeOf(from);
    const entries = this.#entriesOf(from);
    if (size) this.#sizes.set(to, size);
    if (entries) this.#entries.set(to, entries);
  }

  #costNode(node: Expr): CostNode {
    const path = this.#pathOf(node);
    return {
      path: path[0] === accumulatorName || path.length === 0 ? undefined : path,
      type: node.type!,
      literal: node.kind === "literal" ? node.value : undefined,
      size: this.#sizeOf(node),
    };
  }

  #pathOf(node: Expr): readonly string[] {
    const local = node.kind === "ident" ? this.#local(node.name) : undefined;
    return local?.path ?? this.#paths.get(node) ?? [];
  }

  #sizeOf(node: Expr): Estimate | undefined {
    const known = this.#sizes.get(node);
    if (known) return known;
    const written = writtenSize(node);
    if (written !== undefined) return fixed(written);
    const path = this.#pathOf(node);
    const byPath = path.length > 0 ? this.sizeByPath(path) : undefined;
    if (byPath) {
      this.#sizes.set(node, byPath);
      return byPath;
    }
    if (isScalar(node.type!)) return fixed(1);
    return node.kind === "ident" ? this.#local(node.name)?.size : undefined;
  }

  #entriesOf(node: Expr): EntrySize | undefined {
    return (
      this.#entries.get(node) ??
      (node.kind === "ident" ? this.#local(node.name)?.entries : undefined)
    );
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, variable: LocalVariable): void {
    const stack = this.#locals.get(name);
    if (stack) stack.push(variable);
    else this.#locals.set(name, [variable]);
  }

  #pop(name: string): void {
    this.#locals.get(name)!.pop();
  }
}

/** `a.?b` has one overload, which the checker leaves out. */
const overloadsOf = (node: ast.Call): readonly Priced[] =>
  node.function === "_?._" ? [{ id: "select_optional_field" }] : (node.overloads ?? []);

/** A loop over an empty list, which only names a value (cel.bind). */
const isBinding = (node: ast.Comprehension): boolean =>
  node.range.kind === "list" &&
  node.range.elements.length === 0 &&
  node.condition.kind === "literal" &&
  node.condition.value === false;

function writtenSize(node: Expr): number | undefined {
  if (node.kind === "list") return node.elements.length;
  if (node.kind === "map") return node.entries.length;
  return node.kind === "literal" ? literalSize(node.value) : undefined;
}

function literalSize(value: CelValue): number {
  if (typeof value === "string") return codePointLength(value);
  return value instanceof Uint8Array ? value.length : 1;
}

function isScalar(type: Type): boolean {
  const held = unwrapOptional(type);
  return held
    ? isScalar(held)
    : ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}
