// Loops: what macros such as all, exists, map and filter expand to.
// Upstream: github.com/google/cel-go v0.26 interpreter/interpretable.go (evalFold).
import type { Comprehension, Expr } from "../ast/ast.ts";
import type { Frame } from "./frame.ts";
import { attempt, type Evaluate, type Plan, type Scope } from "./plan.ts";
import { listCost } from "../cost/price.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { CelList, ValueList } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { type CelValue, typeOfValue } from "../values/value.ts";

/** Values of the loop variables, pair by pair; the second is undefined in loops of one variable. */
type Visit = (first: CelValue, second: CelValue | undefined) => boolean;

export function planComprehension(node: Comprehension, scope: Scope): Plan {
  const range = scope.plan(node.range, scope).evaluate;
  const init = scope.plan(node.init, scope).evaluate;
  const accumulator = scope.counter.count++;
  const withAccumulator: Scope = {
    ...scope,
    slots: new Map([...scope.slots, [node.accumulator, accumulator]]),
  };
  const first = scope.counter.count++;
  const second = scope.counter.count++;
  const inner: Scope = {
    ...scope,
    slots: new Map([
      ...withAccumulator.slots,
      [node.variable, first],
      ...(node.variable2 === undefined ? [] : [[node.variable2, second] as const]),
    ]),
  };
  const result = scope.plan(node.result, withAccumulator).evaluate;
  const iterate = node.variable2 === undefined ? eachOne : eachPair;
  const bind = (frame: Frame, one: CelValue, two: CelValue | undefined): void => {
    frame.locals[first] = one;
    if (two !== undefined) frame.locals[second] = two;
  };
  const appended = collected(node);
  if (appended) return planCollect(appended, inner, { range, accumulator, iterate, bind, result });
  const step = scope.plan(node.step, inner).evaluate;
  const condition = scope.plan(node.condition, inner);
  const goesOn = condition.constant === true ? undefined : condition.evaluate;
  return {
    evaluate: (frame) => {
      const items = range(frame);
      frame.locals[accumulator] = init(frame);
      iterate(items, (one, two) => {
        bind(frame, one, two);
        if (goesOn && goesOn(frame) !== true) return false;
        // A later item may still settle the loop, and is charged, whatever this one ends in.
        frame.locals[accumulator] = attempt(step, frame);
        return true;
      });
      return result(frame);
    },
  };
}

function eachOne(range: CelValue, visit: Visit): void {
  if (range instanceof CelList)
    for (let i = 0; i < range.size && visit(range.at(i), undefined); i++);
  else if (range instanceof CelMap) range.keys().every((key) => visit(key, undefined));
  else throw new CelError(`got '${goTypeName(range)}', expected iterable type`);
}

function eachPair(range: CelValue, visit: Visit): void {
  if (range instanceof CelList) for (let i = 0; i < range.size && visit(i, range.at(i)); i++);
  else if (range instanceof CelMap) range.keys().every((key) => visit(key, range.find(key)));
  else throw new CelError(`unsupported comprehension range type: ${goTypeName(range)}`);
}

/** The Go type of a value, as upstream's messages print it. */
function goTypeName(value: CelValue): string {
  const names: Readonly<Record<string, string>> = {
    int: "types.Int",
    uint: "types.Uint",
    double: "types.Double",
    bool: "types.Bool",
    string: "types.String",
    bytes: "types.Bytes",
    null_type: "types.Null",
    "google.protobuf.Duration": "types.Duration",
    "google.protobuf.Timestamp": "types.Timestamp",
    optional_type: "*types.Optional",
    type: "*types.Type",
  };
  const { name } = typeOfValue(value);
  return names[name] ?? `types.${name}`;
}

/** `accumulator + [element]`, perhaps behind a filter: the loop that builds a list. */
function collected(
  node: Comprehension,
): { readonly element: Expr; readonly filter: Expr | undefined } | undefined {
  if (node.init.kind !== "list" || node.init.elements.length > 0) return undefined;
  const { step } = node;
  const isFiltered =
    step.kind === "call" && step.function === "_?_:_" && isAccumulator(step.args[2]!, node);
  const append = isFiltered ? step.args[1]! : step;
  if (append.kind !== "call" || append.function !== "_+_" || !isAccumulator(append.args[0]!, node))
    return undefined;
  const list = append.args[1]!;
  if (list.kind !== "list" || list.elements.length !== 1 || list.optional.size > 0)
    return undefined;
  return { element: list.elements[0]!, filter: isFiltered ? step.args[0]! : undefined };
}

const isAccumulator = (expr: Expr, node: Comprehension): boolean =>
  expr.kind === "ident" && expr.name === node.accumulator;

interface Loop {
  readonly range: Evaluate;
  readonly accumulator: number;
  readonly iterate: (range: CelValue, visit: Visit) => void;
  readonly bind: (frame: Frame, one: CelValue, two: CelValue | undefined) => void;
  readonly result: Evaluate;
}

/** Appends in place instead of copying the list at every step; costs what the copies would. */
function planCollect(
  { element, filter }: { readonly element: Expr; readonly filter: Expr | undefined },
  inner: Scope,
  loop: Loop,
): Plan {
  const elementPlan = inner.plan(element, inner);
  const filterPlan = filter && inner.plan(filter, inner);
  // Reading the accumulator, making the one-item list unless it is constant, and the addition.
  const appendCost = 2 + (elementPlan.constant === undefined ? listCost : 0);
  return {
    evaluate: (frame) => {
      const items: CelValue[] = [];
      let failure: CelError | undefined;
      loop.iterate(loop.range(frame), (one, two) => {
        loop.bind(frame, one, two);
        const kept = filterPlan ? attempt(filterPlan.evaluate, frame) : true;
        if (typeof kept !== "boolean") {
          failure = kept instanceof CelError ? kept : noSuchOverload();
          return true;
        }
        if (!kept) return true;
        frame.spend(appendCost);
        const item = attempt(elementPlan.evaluate, frame);
        if (item instanceof CelError) failure ??= item;
        else items.push(item);
        return true;
      });
      frame.locals[loop.accumulator] = failure ?? new ValueList(items);
      return loop.result(frame);
    },
  };
}
