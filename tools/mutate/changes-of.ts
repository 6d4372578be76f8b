// The changes of one node: conditions forced, operators swapped, statements removed, results
// emptied, constants changed, `await` and optional chaining dropped.
import {
  type ArrowFunction,
  type BinaryExpression,
  type CallExpression,
  isPropertyAccessExpression,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";

/** Replaces the text from `start` to `end`. */
export interface Change {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

type Changes = (node: any, source: SourceFile) => readonly Change[];

const swapped: ReadonlyMap<SyntaxKind, readonly string[]> = new Map([
  [SyntaxKind.AmpersandAmpersandToken, ["||"]],
  [SyntaxKind.BarBarToken, ["&&"]],
  [SyntaxKind.EqualsEqualsEqualsToken, ["!=="]],
  [SyntaxKind.ExclamationEqualsEqualsToken, ["==="]],
  [SyntaxKind.LessThanToken, ["<=", ">="]],
  [SyntaxKind.LessThanEqualsToken, ["<", ">"]],
  [SyntaxKind.GreaterThanToken, [">=", "<="]],
  [SyntaxKind.GreaterThanEqualsToken, [">", "<"]],
  [SyntaxKind.MinusToken, ["+"]],
  [SyntaxKind.AsteriskToken, ["/"]],
  [SyntaxKind.SlashToken, ["*"]],
  [SyntaxKind.PlusEqualsToken, ["-="]],
  [SyntaxKind.MinusEqualsToken, ["+="]],
]);

const otherMethods: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
]);

const changesByKind: Partial<Record<SyntaxKind, Changes>> = {
  [SyntaxKind.IfStatement]: ({ expression }, source) => forced(expression, source),
  [SyntaxKind.WhileStatement]: ({ expression }, source) =>
    isLiteral(expression) ? [] : [replaced("condition", expression, source, "false")],
  [SyntaxKind.ConditionalExpression]: ({ condition }, source) => forced(condition, source),
  [SyntaxKind.BinaryExpression]: changesOfBinary,
  [SyntaxKind.PrefixUnaryExpression]: (node, source) =>
    node.operator === SyntaxKind.ExclamationToken && !isCondition(node)
      ? [replaced("negation", node, source, textOf(node.operand, source))]
      : [],
  [SyntaxKind.ExpressionStatement]: (node, source) => [replaced("statement", node, source, ";")],
  [SyntaxKind.ThrowStatement]: (node, source) => [replaced("throw", node, source, ";")],
  [SyntaxKind.BreakStatement]: (node, source) => [replaced("break", node, source, ";")],
  [SyntaxKind.ContinueStatement]: (node, source) => [replaced("continue", node, source, ";")],
  [SyntaxKind.ReturnStatement]: (node, source) =>
    emptied(node.expression, source, "return undefined;", node),
  [SyntaxKind.ArrowFunction]: ({ body }: ArrowFunction, source) =>
    body.kind === SyntaxKind.Block ? [] : emptied(body, source, "undefined", body),
  // As a statement, lint refuses it.
  [SyntaxKind.AwaitExpression]: (node, source) =>
    node.parent?.kind === SyntaxKind.ExpressionStatement
      ? []
      : [replaced("await", node, source, textOf(node.expression, source))],
  [SyntaxKind.QuestionDotToken]: (node, source) =>
    /^\?\.\s*[\w#]/.test(source.text.slice(node.end - 2))
      ? [replaced("optional chaining", node, source, ".")]
      : [],
  [SyntaxKind.TrueKeyword]: (node, source) =>
    inType(node) ? [] : [replaced("constant", node, source, "false")],
  [SyntaxKind.FalseKeyword]: (node, source) =>
    inType(node) ? [] : [replaced("constant", node, source, "true")],
  [SyntaxKind.NumericLiteral]: (node, source) =>
    inType(node)
      ? []
      : [
          replaced(
            "constant",
            node,
            source,
            `${otherNumber(Number(node.text.replaceAll("_", "")))}`,
          ),
        ],
  [SyntaxKind.ArrayLiteralExpression]: (node, source) =>
    node.elements.length === 0 || node.parent?.kind === SyntaxKind.BinaryExpression
      ? []
      : [replaced("array", node, source, "[]")],
  [SyntaxKind.SpreadAssignment]: (node, source) => [replaced("spread", node, source, "...{}")],
  [SyntaxKind.CallExpression]: changesOfCall,
};

/** The changes of this node; its children have their own. */
export function changesOf(node: Node, source: SourceFile): readonly Change[] {
  return changesByKind[node.kind]?.(node, source) ?? [];
}

function changesOfBinary(node: BinaryExpression, source: SourceFile): readonly Change[] {
  const { left, operatorToken, right } = node;
  if (operatorToken.kind === SyntaxKind.QuestionQuestionToken)
    return [
      replaced("fallback", node, source, textOf(left, source)),
      replaced("fallback", node, source, textOf(right, source)),
    ];
  if (isEquality(operatorToken) && isCondition(node)) return [];
  const others = swapped.get(operatorToken.kind) ?? [];
  // As a whole: tests in which the left side decides run nothing of what follows it.
  if (isLogical(operatorToken))
    return others.map((operator) =>
      replaced(
        "operator",
        node,
        source,
        `${textOf(left, source)} ${operator} ${textOf(right, source)}`,
      ),
    );
  return others.map((operator) => replaced("operator", operatorToken, source, operator));
}

function changesOfCall(node: CallExpression, source: SourceFile): readonly Change[] {
  if (!isPropertyAccessExpression(node.expression)) return [];
  const { expression, name } = node.expression;
  const method = textOf(name, source);
  const other = otherMethods.get(method);
  if (other !== undefined) return [replaced("method", name, source, other)];
  return method === "filter" ? [replaced("method", node, source, textOf(expression, source))] : [];
}

function forced(condition: Node, source: SourceFile): readonly Change[] {
  if (isLiteral(condition)) return [];
  return ["true", "false"].map((value) => replaced("condition", condition, source, value));
}

/** True for what `forced` changes: turning it around as well would find nothing more. */
function isCondition(node: Node): boolean {
  const { parent } = node as { parent?: Node & { expression?: Node; condition?: Node } };
  if (parent?.kind === SyntaxKind.IfStatement) return parent.expression === node;
  return parent?.kind === SyntaxKind.ConditionalExpression && parent.condition === node;
}

const isEquality = ({ kind }: Node): boolean =>
  kind === SyntaxKind.EqualsEqualsEqualsToken || kind === SyntaxKind.ExclamationEqualsEqualsToken;

const isLogical = ({ kind }: Node): boolean =>
  kind === SyntaxKind.AmpersandAmpersandToken || kind === SyntaxKind.BarBarToken;

/** Durations and sizes change tenfold: no test should notice one millisecond. */
const otherNumber = (value: number): number => (value >= 100 ? value * 10 : value + 1);

function emptied(
  value: Node | undefined,
  source: SourceFile,
  replacement: string,
  node: Node,
): readonly Change[] {
  if (value === undefined || textOf(value, source) === "undefined") return [];
  return [replaced("result", node, source, replacement)];
}

function replaced(operator: string, node: Node, source: SourceFile, replacement: string): Change {
  return { operator, start: node.getStart(source), end: node.end, replacement };
}

const textOf = (node: Node, source: SourceFile): string =>
  source.text.slice(node.getStart(source), node.end);

const isLiteral = ({ kind }: Node): boolean =>
  kind === SyntaxKind.TrueKeyword || kind === SyntaxKind.FalseKeyword;

/** True for the literal of a type, such as `false` in `T | false`. */
const inType = ({ parent }: Node): boolean => parent?.kind === SyntaxKind.LiteralType;
