// Visits every node of a tree, parents first.
// Upstream: github.com/google/cel-go v0.26 common/ast/navigable.go.
import type { Expr } from "./ast.ts";

/** A node's direct children, in order. */
export function childrenOf(node: Expr): readonly Expr[] {
  switch (node.kind) {
    case "select":
      return [node.operand];
    case "call":
      return node.target ? [node.target, ...node.args] : node.args;
    case "list":
      return node.elements;
    case "map":
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
    case "struct":
      return node.fields.map((field) => field.value);
    case "comprehension":
      return [node.range, node.init, node.condition, node.step, node.result];
    default:
      return [];
  }
}

/**
 * Calls `visit` for a node and all below it; `inside` holds the names of the functions around it.
 */
export function walkTree(
  node: Expr,
  visit: (node: Expr, inside: readonly string[]) => void,
  inside: readonly string[] = [],
): void {
  visit(node, inside);
  const within = node.kind === "call" ? [...inside, node.function] : inside;
  for (const child of childrenOf(node)) walkTree(child, visit, within);
}
