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

/** Calls `visit` for a node and all below it; `leave` keeps out of the node's children. */
export function walkTree(node: Expr, visit: (node: Expr) => void | "leave"): void {
  if (visit(node) === "leave") return;
  for (const child of childrenOf(node)) walkTree(child, visit);
}
