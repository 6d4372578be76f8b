// Checks `format` calls whose text and list are both written out: clauses, their number, and the
// types of the arguments.
// Upstream: github.com/google/cel-go v0.26 ext/formatting.go (stringFormatValidator).
import type { Expr } from "../ast/ast.ts";
import type { TreeCheck } from "../environment/environment.ts";
import { childrenOf, walkTree } from "../ast/tree-walk.ts";
import type { Type, TypeKind } from "../types/type.ts";
import { clauseMismatch, type FormatClause, walkFormat } from "./format-clause.ts";

const kinds: Readonly<Record<FormatClause["verb"], readonly TypeKind[]>> = {
  s: [
    "list",
    "map",
    "int",
    "uint",
    "double",
    "bool",
    "string",
    "timestamp",
    "bytes",
    "duration",
    "type",
    "null",
  ],
  d: ["int", "uint"],
  f: ["double", "string"],
  e: ["double", "string"],
  b: ["int", "uint", "bool"],
  x: ["int", "uint", "string", "bytes"],
  X: ["int", "uint", "string", "bytes"],
  o: ["int", "uint"],
};

/** Stops the walk after the first fault. */
class Refused {}

interface Fault {
  readonly at: number | undefined;
  readonly message: string;
}

/** Reports the first fault of each call. */
export const checkFormatCalls: TreeCheck = (root, report) => {
  walkTree(root, (node) => {
    if (
      node.kind !== "call" ||
      node.function !== "format" ||
      node.target?.kind !== "literal" ||
      typeof node.target.value !== "string"
    )
      return;
    const list = node.args[0];
    if (node.args.length !== 1 || list?.kind !== "list") return;
    const { fault, used } = checkCall(node.target.value, list.elements);
    if (fault) report({ at: fault.at ?? node.at, message: fault.message });
    else if (list.elements.length > used)
      report({
        at: node.at,
        message: `too many arguments supplied to string.format (expected ${used}, got ${list.elements.length})`,
      });
  });
};

function checkCall(
  text: string,
  args: readonly Expr[],
): { readonly fault: Fault | undefined; readonly used: number } {
  let fault: Fault | undefined;
  let used = 0;
  const refuse = (message: string, at?: number): never => {
    fault = { at, message };
    throw new Refused();
  };
  try {
    walkFormat(
      text,
      args.length,
      ({ verb }, index) => {
        used++;
        const wrong = misfit(args[index]!, verb);
        return wrong ? refuse(clauseMismatch(verb, wrong.type!.name), wrong.at) : "";
      },
      refuse,
    );
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  return { fault, used };
}

const fits = (type: Type, accepted: readonly TypeKind[]): boolean =>
  type.kind === "dyn" || accepted.includes(type.kind);

/** The part of an argument that a clause does not take. */
function misfit(node: Expr, verb: FormatClause["verb"]): Expr | undefined {
  if (verb === "s") return unprintable(node);
  return fits(node.type!, kinds[verb]) ? undefined : node;
}

/** The part of a written value that `%s` does not take. */
function unprintable(node: Expr): Expr | undefined {
  if (!fits(node.type!, kinds.s)) return node;
  if (node.kind !== "list" && node.kind !== "map") return undefined;
  for (const part of childrenOf(node)) {
    const wrong = unprintable(part);
    if (wrong) return wrong;
  }
  return undefined;
}
