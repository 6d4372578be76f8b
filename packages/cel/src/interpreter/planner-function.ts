// Calls of functions: the implementation that types or values choose, and its price. A fixed price
// is charged before the arguments are computed, any other price afterwards.
// Upstream: github.com/google/cel-go v0.26 interpreter/planner.go (planCall), decorators.go
// (decOptimize).
import type { Call } from "../ast/ast.ts";
import type { CallCost } from "../cost/price.ts";
import { dispatch, type Implementation } from "../functions/declarations.ts";
import { CelList } from "../values/list.ts";
import type { CelValue } from "../values/value.ts";
import { constantPlan, type Plan, type Scope } from "./plan.ts";

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
  const cost = single?.price?.actual ?? declared.price?.actual ?? 1;
  return typeof cost === "number"
    ? planFixed(implementation, args, cost)
    : planPriced(implementation, args, cost);
}

/** Every call costs the same. The common numbers of arguments need no list of values. */
function planFixed(implementation: Implementation, args: readonly Plan[], cost: number): Plan {
  const [first, second, third] = args.map((arg) => arg.evaluate);
  switch (args.length) {
    case 0:
      return { evaluate: (frame) => (frame.spend(cost), implementation()) };
    case 1:
      return { evaluate: (frame) => (frame.spend(cost), implementation(first!(frame))) };
    case 2:
      return {
        evaluate: (frame) => (frame.spend(cost), implementation(first!(frame), second!(frame))),
      };
    case 3:
      return {
        evaluate: (frame) => (
          frame.spend(cost),
          implementation(first!(frame), second!(frame), third!(frame))
        ),
      };
    default:
      return {
        evaluate: (frame) => (
          frame.spend(cost),
          implementation(...args.map((arg) => arg.evaluate(frame)))
        ),
      };
  }
}

/** The price depends on arguments and result. */
function planPriced(implementation: Implementation, args: readonly Plan[], cost: CallCost): Plan {
  const [first, second] = args.map((arg) => arg.evaluate);
  if (args.length === 2) {
    return {
      evaluate: (frame) => {
        const a = first!(frame);
        const b = second!(frame);
        const result = implementation(a, b);
        frame.spend(typeof a === "number" && typeof b === "number" ? 1 : cost([a, b], result));
        return result;
      },
    };
  }
  return {
    evaluate: (frame) => {
      const values = args.map((arg) => arg.evaluate(frame));
      const result = implementation(...values);
      frame.spend(cost(values, result));
      return result;
    },
  };
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
