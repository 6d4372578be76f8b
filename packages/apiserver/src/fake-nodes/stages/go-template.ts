// The subset of Go templates that stages use: fields, variables, pipelines, if, with, range, and
// functions of the caller. Parsing refuses unsupported actions. Pure.
// Upstream: Go's text/template.
import {
  type Expression,
  parsePipeline,
  type Scope,
  TemplateError,
  type TemplateFunction,
} from "./template-expression.ts";

/** A parsed template. */
export interface GoTemplate {
  /** @throws TemplateError if the template does not apply to the data. */
  render(data: unknown, functions: Readonly<Record<string, TemplateFunction>>): string;
}

type Block = (scope: Scope) => string;

/** Parses a template; `names` are the functions that it may call. @throws TemplateError */
export function parseGoTemplate(text: string, names: ReadonlySet<string>): GoTemplate {
  const reader = new TemplateReader(tokensOf(text), names);
  const { block } = reader.read([]);
  return {
    render: (data, functions) => block({ dot: data, variables: new Map([["$", data]]), functions }),
  };
}

type Token = { readonly text: string } | { readonly action: string };

/** Splits text and actions; `{{-` and `-}}` trim adjacent white space. */
function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const pattern = /\{\{(-(?=\s))?((?:"(?:[^"\\]|\\.)*"|`[^`]*`|(?!\}\})[^"`])*?)((?<=\s)-)?\}\}/g;
  let [at, trim] = [0, false];
  const push = (end: number, trimEnd: boolean): void => {
    const part = text.slice(at, end);
    const start = trim ? part.trimStart() : part;
    tokens.push({ text: trimEnd ? start.trimEnd() : start });
  };
  for (const match of text.matchAll(pattern)) {
    push(match.index, match[1] !== undefined);
    tokens.push({ action: match[2]!.trim() });
    at = match.index + match[0].length;
    trim = match[3] !== undefined;
  }
  push(text.length, false);
  if (text.slice(at).includes("{{"))
    throw new TemplateError(`unclosed action: ${text.slice(text.indexOf("{{", at)).slice(0, 40)}`);
  return tokens;
}

class TemplateReader {
  readonly #tokens: readonly Token[];
  readonly #names: ReadonlySet<string>;
  #at = 0;

  constructor(tokens: readonly Token[], names: ReadonlySet<string>) {
    this.#tokens = tokens;
    this.#names = names;
  }

  /** Parses until one of the keywords, or the end. */
  read(until: readonly string[]): { readonly block: Block; readonly ended: string } {
    const parts: Block[] = [];
    for (let token = this.#tokens[this.#at]; token; token = this.#tokens[this.#at]) {
      this.#at++;
      if ("text" in token) {
        const { text } = token;
        parts.push(() => text);
        continue;
      }
      const keyword = /^\w+/.exec(token.action)?.[0] ?? "";
      if (until.includes(keyword)) return { block: joined(parts), ended: token.action };
      parts.push(this.#action(token.action, keyword));
    }
    if (until.length > 0)
      throw new TemplateError(`{{ ${until.join(" }} or {{ ")} }} was expected before the end`);
    return { block: joined(parts), ended: "" };
  }

  #action(action: string, keyword: string): Block {
    if (action === "" || action.startsWith("/*")) return () => "";
    switch (keyword) {
      case "if":
        return this.#choice(action.slice(2), (scope, _, then) => then(scope));
      case "with":
        return this.#choice(action.slice(4), (scope, value, then) =>
          then({ ...scope, dot: value }),
        );
      case "range":
        return this.#range(action.slice(5));
      case "else":
      case "end":
      case "define":
      case "template":
      case "block":
      case "break":
      case "continue":
        throw new TemplateError(`{{ ${action} }} is not supported here`);
      default:
        return this.#output(action);
    }
  }

  #output(action: string): Block {
    const [, name, operator, rest] = /^(\$\w*)\s*(:=|=)\s*([^]*)$/.exec(action) ?? [];
    const expression = this.#pipeline(rest ?? action);
    if (name === undefined || operator === undefined)
      return (scope) => formatValue(expression(scope));
    return (scope) => {
      const value = expression(scope);
      // An assignment sets the variable in all outer scopes, a declaration only in its own.
      for (let one: Scope | undefined = scope; one; one = operator === "=" ? one.outer : undefined)
        one.variables.set(name, value);
      return "";
    };
  }

  #choice(condition: string, enter: (scope: Scope, value: unknown, then: Block) => string): Block {
    const [, name, rest] = /^\s*(\$\w+)\s*:=\s*([^]*)$/.exec(condition) ?? [];
    const expression = this.#pipeline(rest ?? condition);
    const { block, ended } = this.read(["else", "end"]);
    const otherwise = this.#otherwise(ended);
    return (outer) => {
      const value = expression(outer);
      const scope = inner(outer, name === undefined ? [] : [[name, value]]);
      return isTrue(value) ? enter(scope, value, block) : otherwise(scope);
    };
  }

  /** The rest after `else`: another condition, or a block. */
  #otherwise(ended: string): Block {
    if (ended === "end") return () => "";
    const rest = ended.slice("else".length).trim();
    if (rest === "") return this.read(["end"]).block;
    return this.#action(rest, /^\w+/.exec(rest)?.[0] ?? "");
  }

  #range(header: string): Block {
    const [, first, second, rest] =
      /^\s*(\$\w+)(?:\s*,\s*(\$\w+))?\s*:=\s*([^]*)$/.exec(header) ?? [];
    const expression = this.#pipeline(rest ?? header);
    const { block, ended } = this.read(["else", "end"]);
    const otherwise = this.#otherwise(ended);
    return (outer) => {
      const entries = entriesOf(expression(outer));
      if (entries.length === 0) return otherwise(outer);
      const named = (key: unknown, value: unknown): readonly (readonly [string, unknown])[] => {
        if (first === undefined) return [];
        if (second === undefined) return [[first, value]];
        return [
          [first, key],
          [second, value],
        ];
      };
      return entries
        .map(([key, value]) => block({ ...inner(outer, named(key, value)), dot: value }))
        .join("");
    };
  }

  #pipeline(text: string): Expression {
    return parsePipeline(text.trim(), this.#names);
  }
}

const joined =
  (parts: readonly Block[]): Block =>
  (scope) =>
    parts.map((part) => part(scope)).join("");

const inner = (outer: Scope, more: readonly (readonly [string, unknown])[]): Scope => ({
  ...outer,
  outer,
  variables: new Map([...outer.variables, ...more]),
});

function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (Array.isArray(value)) return value.map((one, i) => [i, one]);
  if (typeof value === "number") return Array.from({ length: value }, (_, i) => [i, i]);
  return typeof value === "object" && value !== null
    ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
    : [];
}

/** Truth as Go templates define it: neither zero nor empty. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null) return "<no value>";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
