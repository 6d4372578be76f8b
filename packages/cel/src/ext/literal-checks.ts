// Checks of literals after types are known: durations, timestamps and patterns must be valid, lists
// and maps uniform.
// Upstream: github.com/google/cel-go v0.26 cel/validator.go.
import type { Expr, ListExpr, MapExpr } from "../ast/ast.ts";
import type { Library, TreeCheck } from "../environment/environment.ts";
import { compilePattern } from "../go/pattern.ts";
import { formatType, sameType, type Type } from "../types/type.ts";
import { walkTree } from "../ast/tree-walk.ts";
import { CelError } from "../values/cel-error.ts";
import { parseGoDuration } from "../values/duration.ts";
import { isInRange, parseRfc3339 } from "../values/timestamp.ts";

function isPattern(text: string): boolean {
  try {
    compilePattern(text);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

type Literal = Extract<Expr, { readonly kind: "literal" }>["value"];

function isTimestamp(value: Literal): boolean {
  if (typeof value !== "string") return !isInt(value) || isInRange(Number(value));
  const parsed = parseRfc3339(value);
  return parsed !== undefined && isInRange(parsed.seconds);
}

const isInt = (value: Literal): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

/**
 * Checks of the first argument, when it is a literal. Its type has been checked.
 */
const formats: Readonly<Record<string, (value: Literal) => boolean>> = {
  duration: (value) => typeof value !== "string" || parseGoDuration(value) !== undefined,
  timestamp: isTimestamp,
  matches: (value) => typeof value !== "string" || isPattern(value),
};

const checkFormats: TreeCheck = (root, report) => {
  walkTree(root, (node) => {
    if (node.kind !== "call" || !Object.hasOwn(formats, node.function)) return;
    const arg = node.args[0];
    // The global form of matches has the text first; upstream checks that argument all the same.
    if (arg?.kind === "literal" && !formats[node.function]!(arg.value))
      report({ at: arg.at, message: `invalid ${node.function} argument` });
  });
};

type Report = Parameters<TreeCheck>[1];

function expectSame(expected: Type, node: Expr, optional: boolean, report: Report): boolean {
  const actual = elementType(node, optional);
  if (sameType(expected, actual)) return true;
  report({
    at: node.at,
    message: `expected type '${formatType(expected)}' but found '${formatType(actual)}'`,
  });
  return false;
}

const elementType = (node: Expr, optional: boolean): Type =>
  optional ? (node.type!.params[0] ?? node.type!) : node.type!;

function checkList(node: ListExpr, report: Report): void {
  const [first] = node.elements;
  if (!first) return;
  const expected = elementType(first, node.optional.has(0));
  node.elements.every((element, i) => expectSame(expected, element, node.optional.has(i), report));
}

function checkMap(node: MapExpr, report: Report): void {
  const [first] = node.entries;
  if (!first) return;
  const key = elementType(first.key, false);
  const value = elementType(first.value, first.optional);
  for (const entry of node.entries) {
    expectSame(key, entry.key, false, report);
    expectSame(value, entry.value, entry.optional, report);
  }
}

/** Arguments of `format` may mix types. */
const mixed: ReadonlySet<string> = new Set(["format"]);

const checkUniform: TreeCheck = (root, report) => {
  walkTree(root, (node) => {
    if (node.kind === "call" && mixed.has(node.function)) return "leave";
    if (node.kind === "list") checkList(node, report);
    else if (node.kind === "map") checkMap(node, report);
    return undefined;
  });
};

/** A library of checks only. */
export const literalChecks: Library = {
  name: "literal checks",
  checks: [checkFormats, checkUniform],
};
