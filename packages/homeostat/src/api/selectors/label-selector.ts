// Label selectors as text, e.g. `app=web,tier in (a,b),!draft`: parsing with the API server's
// messages, matching and formatting. Requirements are sorted by key, as upstream.
// Upstream: k8s.io/apimachinery/pkg/labels/selector.go.
import { compareBytewise } from "../encode-json.ts";
import { lexLabelSelector, type Token, type TokenKind } from "./label-lexer.ts";
import { SelectorSyntaxError } from "./selector-syntax-error.ts";
import { labelKeyFaults, labelValueFaults } from "./syntax-rules.ts";
import { checkArgument } from "../../util/call-options.ts";

/** The operator of a requirement. */
export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

/** One requirement on one label; values are sorted and unique. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** All requirements must match; an empty selector matches everything. */
export type LabelSelector = readonly LabelRequirement[];

/** Parses a selector; throws SelectorSyntaxError. */
export function parseLabelSelector(selector: string): LabelSelector {
  checkArgument("parseLabelSelector(…)", ["its argument", selector], "a string");
  return new Parser(lexLabelSelector(selector))
    .selector()
    .toSorted((a, b) => compareBytewise(a.key, b.key));
}

/** True when the labels match every requirement. */
export function matchesLabels(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (!Array.isArray(selector))
    checkArgument("matchesLabels(…)", ["its first argument", selector], "a list");
  if (selector.length > 0 && (labels === null || typeof labels !== "object"))
    checkArgument("matchesLabels(…)", ["its second argument", labels], "an object");
  for (const requirement of selector) if (!meets(requirement, labels)) return false;
  return true;
}

/** Formats a selector so that it parses to the same value, e.g. `app=web,tier in (a,b),!draft`. */
export function formatLabelSelector(selector: LabelSelector): string {
  checkArgument("formatLabelSelector(…)", ["its argument", selector], "a list");
  return selector.map(formatRequirement).join(",");
}

function meets(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const present = Object.hasOwn(labels, key);
  switch (operator) {
    case "in":
    case "=":
    case "==":
      return present && values.includes(labels[key]!);
    case "notin":
    case "!=":
      return !present || !values.includes(labels[key]!);
    case "exists":
      return present;
    case "!":
      return !present;
    default:
      return present && compares(operator, labels[key]!, values[0]!);
  }
}

function compares(operator: "gt" | "lt", label: string, bound: string): boolean {
  const value = parseInt64(label);
  const limit = parseInt64(bound);
  if (value === undefined || limit === undefined) return false;
  return operator === "gt" ? value > limit : value < limit;
}

/** As Go's strconv.ParseInt in base 10 for 64 bits. */
function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "gt":
      return `${key}>${values[0]}`;
    case "lt":
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}

const operators: Readonly<Partial<Record<TokenKind, LabelOperator>>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  selector(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const { kind, text } = this.#peekValue();
      if (kind === "end") return requirements;
      if (kind !== "identifier" && kind !== "!")
        fail(`found '${text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      const separator = this.#takeValue();
      if (separator.kind === "end") return requirements;
      if (separator.kind !== ",")
        fail(`found '${separator.text}', expected: ',' or 'end of string'`);
      const next = this.#peekValue();
      if (next.kind !== "identifier" && next.kind !== "!")
        fail(`found '${next.text}', expected: identifier after ','`);
    }
  }

  #requirement(): LabelRequirement {
    const absent = this.#peekValue().kind === "!";
    if (absent) this.#takeValue();
    const key = this.#takeValue();
    if (key.kind !== "identifier") refuse(`found '${key.text}', expected: identifier`);
    const faults = labelKeyFaults(key.text);
    if (faults.length)
      refuse(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${faults.join("; ")}`);
    if (absent) return { key: key.text, operator: "!", values: [] };
    const next = this.#peekValue();
    if (next.kind === "end" || next.kind === ",")
      return { key: key.text, operator: "exists", values: [] };
    const operator = this.#operator();
    const values =
      operator === "in" || operator === "notin" ? this.#values() : [this.#exactValue()];
    return checked({ key: key.text, operator, values: [...new Set(values)].sort(compareBytewise) });
  }

  #operator(): LabelOperator {
    const token = this.#take();
    return (
      operators[token.kind] ??
      refuse(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`)
    );
  }

  #values(): string[] {
    const open = this.#takeValue();
    if (open.kind !== "(") refuse(`found '${open.text}' expected: '('`);
    const first = this.#peekValue();
    if (first.kind === ")") {
      this.#takeValue();
      return [""];
    }
    if (first.kind !== "identifier" && first.kind !== ",")
      refuse(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = this.#valueList();
    this.#takeValue();
    return values;
  }

  /**
   * Parses up to the closing parenthesis, exclusive. A missing value next to a comma is the empty
   * value.
   */
  #valueList(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#takeValue();
      const next = this.#peekValue();
      if (token.kind === "identifier") {
        values.push(token.text);
        if (next.kind === ")") return values;
        if (next.kind !== ",") refuse(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ",") {
        if (!values.length || next.kind === "," || next.kind === ")") values.push("");
        if (next.kind === ")") return values;
      } else refuse(`found '${token.text}', expected: ',', or identifier`);
    }
  }

  #exactValue(): string {
    const { kind } = this.#peekValue();
    if (kind === "end" || kind === ",") return "";
    const token = this.#takeValue();
    return token.kind === "identifier"
      ? token.text
      : refuse(`found '${token.text}', expected: identifier`);
  }

  #take(): Token {
    return this.#tokens[this.#at++] ?? this.#tokens.at(-1)!;
  }

  /** In the place of a value, `in` and `notin` are plain text. */
  #takeValue(): Token {
    return asValue(this.#take());
  }

  #peekValue(): Token {
    return asValue(this.#tokens[this.#at] ?? this.#tokens.at(-1)!);
  }
}

const asValue = (token: Token): Token =>
  token.kind === "in" || token.kind === "notin" ? { kind: "identifier", text: token.text } : token;

/** The faults of all values, in one message. */
function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const faults: string[] = [];
  if ((operator === "gt" || operator === "lt") && parseInt64(values[0]!) === undefined) {
    faults.push(
      `values[0]: Invalid value: ${JSON.stringify(values[0])}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  }
  values.forEach((value, i) => {
    const texts = labelValueFaults(value);
    if (texts.length)
      faults.push(
        `values[${i}][${key}]: Invalid value: ${JSON.stringify(value)}: ${texts.join("; ")}`,
      );
  });
  if (faults.length) refuse(faults.length === 1 ? faults[0]! : `[${faults.join(", ")}]`);
  return requirement;
}

function fail(message: string): never {
  throw new SelectorSyntaxError(message);
}

function refuse(message: string): never {
  throw new SelectorSyntaxError(`unable to parse requirement: ${message}`);
}
