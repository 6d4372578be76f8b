// Calls of functions: the implementation that types or values choose, and its price. A fixed price
// is charged before the arguments are computed, any other price before the call.
// Upstream: github.com/google/cel-go v0.26 interpreter/planner.go (planCall), decorators.go
// (decOptimize).
import type { Call } from "../ast/ast.ts";
import type { CallCost } from "../cost/price.ts";
import { dispatch, type Implementation } from "../functions/declarations.ts";
import { CelError } from "../values/cel-error.ts";
import { CelList } from "../values/list.ts";
import type { CelValue } from "../values/value.ts";
import type { Frame } from "./frame.ts";
import { attempt, constantPlan, type Evaluate, type Plan, type Scope } from "./plan.ts";

/** Plans a call; `args` starts with the receiver. */
export function planFunction(node: Call, args: readonly Plan[], scope: Scope): Plan {
  const overloads = node.overloads ?? [];
  const single = overloads.length === 1 ? overloads[0]! : undefined;
  const implementation = single?.specialize?.(args.map((arg) => arg.constant)) ?? bind(node, scope);
  if (single?.id === "in_list" && args[1]!.constant instanceof CelList)
    return planMembership(args[0]!, args[1]!.constant);
  const declared = scope.environment.functions.get(node.function)!;
  if (args.length === 1 && declared.conversion && args[0]!.constant !== undefined)
    return constantPlan(implementation(args[0]!.constant));
  const { resultPass } = (single ?? declared).price ?? {};
  const cost = single?.price?.actual ?? declared.price?.actual ?? 1;
  if (typeof cost === "number" && !resultPass) return planFixed(implementation, args, cost);
  return planPriced(implementation, args, {
    cost: typeof cost === "number" ? () => cost : cost,
    resultPass,
  });
}

/**
 * Every call costs the same, and nothing when an argument but the last of three or more fails. The
 * common numbers of arguments need no list of values. */
function planFixed(implementation: Implementation, args: readonly Plan[], cost: number): Plan {
  const [first, second, third] = args.map((arg) => arg.evaluate);
  switch (args.length) {
    case 0:
      return { evaluate: (frame) => (frame.spend(cost), implementation()) };
    case 1:
      return { evaluate: (frame) => (frame.spend(cost), implementation(first!(frame))) };
    case 2:
      return {
        evaluate: (frame) => {
          frame.spend(cost);
          const left = attempt(first!, frame);
          if (!(left instanceof CelError)) return implementation(left, second!(frame));
          attempt(second!, frame);
          throw left;
        },
      };
    case 3:
      return {
        evaluate: (frame) =>
          implementation(first!(frame), second!(frame), (frame.spend(cost), third!(frame))),
      };
    default:
      return {
        evaluate: (frame) => {
          const values = args.slice(0, -1).map((arg) => arg.evaluate(frame));
          frame.spend(cost);
          return implementation(...values, args.at(-1)!.evaluate(frame));
        },
      };
  }
}

interface Charge {
  readonly cost: CallCost;
  readonly resultPass: CallCost | undefined;
}

/** The price depends on the arguments. */
function planPriced(implementation: Implementation, args: readonly Plan[], charge: Charge): Plan {
  if (args.length === 2) return planPair(implementation, args[0]!, args[1]!, charge);
  const { cost, resultPass } = charge;
  const others = args.slice(0, -1);
  const last = args.at(-1);
  return {
    evaluate: (frame) => {
      const values = others.map((arg) => arg.evaluate(frame));
      const value = last ? attempt(last.evaluate, frame) : null;
      if (value instanceof CelError) {
        frame.spend(cost([...values, null]));
        throw value;
      }
      if (last) values.push(value);
      frame.spend(cost(values));
      if (resultPass) frame.reserve(resultPass(values));
      return implementation(...values);
    },
  };
}

function planPair(
  implementation: Implementation,
  left: Plan,
  right: Plan,
  { cost, resultPass }: Charge,
): Plan {
  const first = left.evaluate;
  const second = right.evaluate;
  return {
    evaluate: (frame) => {
      let a: CelValue | undefined;
      let b: CelValue;
      try {
        a = first(frame);
        b = second(frame);
      } catch (error) {
        if (error instanceof CelError) chargeFailed(frame, cost, a, second);
        throw error;
      }
      if (typeof a === "number" && typeof b === "number") frame.spend(1);
      else {
        const values = [a, b];
        frame.spend(cost(values));
        if (resultPass) frame.reserve(resultPass(values));
      }
      return implementation(a, b);
    },
  };
}

/**
 * Charges a call with an operand that failed: both are evaluated first, and a failed one has no
 * size. `left` is undefined when it failed.
 */
function chargeFailed(
  frame: Frame,
  cost: CallCost,
  left: CelValue | undefined,
  second: Evaluate,
): void {
  const right = left === undefined ? attempt(second, frame) : null;
  frame.spend(cost([left ?? null, right instanceof CelError ? null : right]));
}

/**
 * The implementation of a call: its overload's when types settle it, otherwise one that dispatches
 * on values.
 */
function bind(node: Call, scope: Scope): Implementation {
  const overloads = node.overloads ?? [];
  const declared = scope.environment.functions.get(node.function)!;
  const args = node.target ? [node.target, ...node.args] : node.args;
  const settled =
    overloads.length === 1 &&
    overloads[0]!.args.every(
      (type, i) =>
        type.kind === "dyn" || type.kind === "param" || args[i]!.type!.kind === type.kind,
    );
  if (settled && overloads[0]!.implementation) return overloads[0]!.implementation;
  return declared.dynamic ?? dispatch(node.function, declared.overloads);
}

function planMembership(item: Plan, list: CelList): Plan {
  if (list.size === 0) return constantPlan(false);
  const items = [...list];
  const { evaluate } = item;
  if (items.every((value) => typeof value === "string")) {
    const set = new Set<CelValue>(items);
    return { evaluate: (frame) => set.has(evaluate(frame)) };
  }
  return { evaluate: (frame) => list.contains(evaluate(frame)) };
}
