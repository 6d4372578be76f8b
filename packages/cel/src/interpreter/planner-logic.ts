// `&&`, `||` and `?:`. The first two absorb an error of one side when the other side settles the
// result.
// Upstream: github.com/google/cel-go v0.26 interpreter/interpretable.go (evalAnd, evalOr),
// attributes.go (conditionalAttribute).
import { attempt, type Evaluate, type Plan } from "./plan.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import type { Frame } from "./frame.ts";

/** The truth of a side, or the error of one that is neither true nor false. */
function truthOf(evaluate: Evaluate, frame: Frame): boolean | CelError {
  const value = attempt(evaluate, frame);
  return typeof value === "boolean" || value instanceof CelError ? value : noSuchOverload();
}

function planLogic(left: Plan, right: Plan, settling: boolean): Plan {
  const a = left.evaluate;
  const b = right.evaluate;
  return {
    evaluate: (frame) => {
      const first = truthOf(a, frame);
      if (first === settling) return settling;
      if (first === !settling) {
        const second = b(frame);
        if (typeof second !== "boolean") throw noSuchOverload();
        return second;
      }
      if (truthOf(b, frame) === settling) return settling;
      throw first;
    },
  };
}

export const planAnd = (left: Plan, right: Plan): Plan => planLogic(left, right, false);
export const planOr = (left: Plan, right: Plan): Plan => planLogic(left, right, true);

/** Only the chosen branch is evaluated; the first step of a path there is not counted. */
export function planConditional(condition: Plan, then: Plan, otherwise: Plan): Plan {
  const thenRefund = then.path === "variable" ? 1 : 0;
  const otherwiseRefund = otherwise.path === "variable" ? 1 : 0;
  return {
    path: "conditional",
    evaluate: (frame) => {
      const chosen = condition.evaluate(frame);
      if (typeof chosen !== "boolean") throw noSuchOverload();
      frame.cost -= chosen ? thenRefund : otherwiseRefund;
      return chosen ? then.evaluate(frame) : otherwise.evaluate(frame);
    },
  };
}
