// Pipelines of Go templates: `.a.b`, `$x.c`, literals, `f a (g b) | h`. Pure.
// Upstream: Go's text/template/parse.

/** A template that is invalid, or does not apply to its data. */
export class TemplateError extends Error {}

export type TemplateFunction = (...values: readonly unknown[]) => unknown;

/** The scope in which an expression is evaluated. */
export interface Scope {
  readonly dot: unknown;
  readonly variables: Map<string, unknown>;
  readonly functions: Readonly<Record<string, TemplateFunction>>;
  readonly outer?: Scope;
}

export type Expression = (scope: Scope) => unknown;

/** The functions of Go and Sprig that stages use. Functions of the caller override them. */
export const builtinFunctions: Readonly<Record<string, TemplateFunction>> = {
  or: (...values) => values.find(truth) ?? values.at(-1),
  and: (...values) => values.find((value) => !truth(value)) ?? values.at(-1),
  not: (value) => !truth(value),
  eq: (value, ...others) => others.some((other) => (value ?? "") === (other ?? "")),
  ne: (value, other) => (value ?? "") !== (other ?? ""),
  lt: (a, b) => Number(a) < Number(b),
  le: (a, b) => Number(a) <= Number(b),
  gt: (a, b) => Number(a) > Number(b),
  ge: (a, b) => Number(a) >= Number(b),
  len: (value) =>
    typeof value === "string" || Array.isArray(value)
      ? value.length
      : Object.keys((value as object | undefined) ?? {}).length,
  index: (value, ...keys) => keys.reduce<unknown>((at, key) => fieldOf(at, String(key)), value),
  printf: (format, ...values) => formatText(String(format), values),
  default: (fallback, value) => (truth(value) ? value : fallback),
  dict: (...pairs) =>
    Object.fromEntries(
      pairs.flatMap((key, i) => (i % 2 === 0 ? [[String(key), pairs[i + 1]]] : [])),
    ),
  list: (...values) => values,
  add: (...values) => values.reduce<number>((sum, value) => sum + Number(value ?? 0), 0),
  sub: (a, b) => Number(a) - Number(b),
  lower: (text) => String(text).toLowerCase(),
  upper: (text) => String(text).toUpperCase(),
  toString: String,
};

const truth = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);

function formatText(format: string, values: readonly unknown[]): string {
  let next = 0;
  return format.replace(/%([vsdq%])/g, (_, verb: string) => formatVerb(verb, () => values[next++]));
}

function formatVerb(verb: string, next: () => unknown): string {
  if (verb === "%") return "%";
  return verb === "q" ? JSON.stringify(next()) : String(next());
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const tokenPattern =
  /\s*(?:("(?:[^"\\]|\\.)*"|`[^`]*`)|(-?\d+(?:\.\d+)?)|([()|])|((?:\$\w*|\.)?(?:\.?[A-Za-z_]\w*)*(?:\.[A-Za-z_]\w*)*))/y;

/** Parses a pipeline. @throws TemplateError, e.g. if a function is not defined. */
export function parsePipeline(text: string, names: ReadonlySet<string>): Expression {
  const tokens = tokenize(text);
  let at = 0;
  const pipeline = (): Expression => {
    let expression = command(undefined);
    while (tokens[at] === "|") {
      at++;
      expression = command(expression);
    }
    return expression;
  };
  const command = (piped: Expression | undefined): Expression => {
    const name = tokens[at];
    const isCall =
      name !== undefined && /^[A-Za-z_]/.test(name) && !["true", "false", "nil"].includes(name);
    if (!isCall && piped)
      throw new TemplateError(`a function was expected after | in {{ ${text} }}`);
    const operands: Expression[] = [];
    if (isCall) at++;
    while (at < tokens.length && !tokens[at]!.startsWith(")") && tokens[at] !== "|")
      operands.push(operand());
    if (!isCall) {
      if (operands.length !== 1) throw new TemplateError(`one value was expected in {{ ${text} }}`);
      return operands[0]!;
    }
    if (!names.has(name) && !(name in builtinFunctions))
      throw new TemplateError(
        `function ${JSON.stringify(name)} not defined in {{ ${text} }}; supported are ${[...names, ...Object.keys(builtinFunctions)].toSorted().join(", ")}`,
      );
    return (scope) =>
      (scope.functions[name] ?? builtinFunctions[name]!)(
        ...operands.map((one) => one(scope)),
        ...(piped ? [piped(scope)] : []),
      );
  };
  const operand = (): Expression => {
    const token = tokens[at++]!;
    if (token !== "(") return valueOf(token, names);
    const inner = pipeline();
    const closing = tokens[at++] ?? "";
    if (!closing.startsWith(")")) throw new TemplateError(`unclosed parenthesis in {{ ${text} }}`);
    const fields = closing.slice(1).split(".").filter(Boolean);
    return (scope) => fields.reduce(fieldOf, inner(scope));
  };
  const expression = pipeline();
  if (at < tokens.length)
    throw new TemplateError(`unexpected ${JSON.stringify(tokens[at])} in {{ ${text} }}`);
  return expression;
}

function tokenize(text: string): readonly string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length;) {
    tokenPattern.lastIndex = at;
    const found = tokenPattern.exec(text)?.[0] ?? "";
    if (found.trim() === "") {
      if (text.slice(at).trim() === "") break;
      throw new TemplateError(
        `unexpected ${JSON.stringify(text.slice(at).trim())} in {{ ${text} }}`,
      );
    }
    // `(index .a 0).b`: fields after a parenthesis belong to its value.
    if (tokens.at(-1) === ")" && found.startsWith(".")) tokens[tokens.length - 1] += found;
    else tokens.push(found.trim());
    at += found.length;
  }
  return tokens;
}

function valueOf(token: string, names: ReadonlySet<string>): Expression {
  if (token.startsWith('"')) return constant(JSON.parse(token));
  if (token.startsWith("`")) return constant(token.slice(1, -1));
  if (/^-?\d/.test(token)) return constant(Number(token));
  if (["true", "false", "nil"].includes(token))
    return constant(token === "nil" ? undefined : token === "true");
  const [head = "", ...fields] = token.split(".");
  const walk = (from: unknown): unknown => fields.filter(Boolean).reduce(fieldOf, from);
  if (head === "") return ({ dot }) => walk(dot);
  if (head.startsWith("$")) return ({ variables }) => walk(variables.get(head));
  // A function call without arguments, as an argument of another.
  if (names.has(head) || head in builtinFunctions)
    return ({ functions }) => (functions[head] ?? builtinFunctions[head]!)();
  throw new TemplateError(
    `function ${JSON.stringify(head)} not defined; supported are ${[...names, ...Object.keys(builtinFunctions)].toSorted().join(", ")}`,
  );
}

const constant =
  (value: unknown): Expression =>
  () =>
    value;
