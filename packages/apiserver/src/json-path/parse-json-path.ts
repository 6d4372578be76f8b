// Parses kubectl's JSONPath dialect: `{.spec.items[?(@.kind=="x")].name}`, ranges, unions, slices,
// recursive descent. Error messages are upstream's.
// Upstream: k8s.io/client-go/util/jsonpath/parser.go.
import { unquoteGoString } from "./unquote-go-string.ts";
import type { JsonPath, JsonPathNode, Slice } from "./json-path-node.ts";

/** The template does not parse; `message` is upstream's, e.g. `unterminated array`. */
export class JsonPathSyntaxError extends Error {
  override readonly name = "JsonPathSyntaxError";
}

/** Parses a template, e.g. `{.metadata.name}`. Throws {@link JsonPathSyntaxError}. */
export function parseJsonPath(template: string): JsonPath {
  return { nodes: new Parser(template).template() };
}

type NodeList = JsonPathNode[];

const wholeAction = (text: string): readonly JsonPathNode[] => {
  const first = parseJsonPath(`{${text}}`).nodes[0];
  return first?.at === "list" ? first.nodes : [];
};

class Parser {
  readonly #input: string;
  #at = 0;
  #start = 0;

  constructor(input: string) {
    this.#input = input;
  }

  template(): readonly JsonPathNode[] {
    const nodes: NodeList = [];
    for (;;) {
      const open = this.#input.indexOf("{", this.#at);
      const end = open < 0 ? this.#input.length : open;
      if (end > this.#at) nodes.push({ at: "text", text: this.#input.slice(this.#at, end) });
      if (open < 0) return nodes;
      this.#at = this.#start = open + 1;
      const list: NodeList = [];
      nodes.push({ at: "list", nodes: list });
      this.#action(list);
    }
  }

  /** Reads up to and including the closing brace. */
  #action(list: NodeList): void {
    for (;;) {
      if (this.#input.startsWith("}", this.#at))
        return void (this.#at = this.#start = this.#at + 1);
      if (this.#input.startsWith("[?(", this.#at)) this.#filter(list);
      else if (this.#input.startsWith("..", this.#at)) this.#recursive(list);
      else this.#token(list);
    }
  }

  #token(list: NodeList): void {
    const c = this.#next();
    if (c === undefined || isEndOfLine(c)) throw new JsonPathSyntaxError("unclosed action");
    if (c === " " || c === "@" || c === "$") this.#consume();
    else if (c === "[") this.#array(list);
    else if (c === '"' || c === "'") this.#quote(list, c);
    else if (c === ".") this.#field(list);
    else if (c === "+" || c === "-" || /\p{Nd}/u.test(c)) this.#number(list, c);
    else if (isAlphaNumeric(c)) this.#identifier(list);
    else throw new JsonPathSyntaxError(`unrecognized character in action: ${formatRune(c)}`);
  }

  #identifier(list: NodeList): void {
    this.#advanceTo(isTerminator);
    const word = this.#consume();
    list.push(
      word === "true" || word === "false"
        ? { at: "bool", value: word === "true" }
        : { at: "identifier", name: word },
    );
  }

  #recursive(list: NodeList): void {
    if (list.at(-1)?.at === "recursive")
      throw new JsonPathSyntaxError("invalid multiple recursive descent");
    this.#at += 2;
    this.#consume();
    list.push({ at: "recursive" });
    const c = this.#peek();
    if (c !== undefined && isAlphaNumeric(c)) this.#field(list);
  }

  #number(list: NodeList, first: string): void {
    this.#at -= first.length;
    if (first === "+" || first === "-") this.#next();
    this.#advanceTo((c) => c === undefined || (c !== "." && !/\p{Nd}/u.test(c)));
    const text = this.#consume();
    if (/^[+-]?[0-9]+$/.test(text)) list.push({ at: "number", value: Number(text), float: false });
    else if (/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)$/.test(text))
      list.push({ at: "number", value: Number(text), float: true });
    else throw new JsonPathSyntaxError(`cannot parse number ${text}`);
  }

  #array(list: NodeList): void {
    for (let c = this.#next(); c !== "]"; c = this.#next()) {
      if (c === undefined || c === "\n") throw new JsonPathSyntaxError("unterminated array");
    }
    const inside = this.#consume().slice(1, -1);
    const text = inside === "*" ? ":" : inside;
    const members = text.split(",");
    if (members.length > 1)
      return void list.push({
        at: "union",
        members: members.map((member) => wholeAction(`[${member.replace(/^ +| +$/g, "")}]`)),
      });
    const key = /^'([^']*)'$/.exec(text);
    if (key) return void list.push(...wholeAction(`.${key[1]}`));
    list.push({ at: "array", slice: parseSlice(text) });
  }

  #filter(list: NodeList): void {
    this.#at += "[?(".length;
    this.#consume();
    this.#skipFilterText();
    if (this.#next() !== "]") throw new JsonPathSyntaxError("unclosed array expect ]");
    const text = this.#consume().slice(0, -2);
    const parts = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text);
    if (!parts)
      return void list.push({
        at: "filter",
        left: wholeAction(text),
        right: [],
        operator: "exists",
      });
    list.push({
      at: "filter",
      left: wholeAction(parts[1]!),
      right: wholeAction(parts[3]!),
      operator: parts[2]!,
    });
  }

  /** Skips to the closing bracket outside of quotes; only the first quoted string counts. */
  #skipFilterText(): void {
    let pair: string | undefined;
    let closed = false;
    for (;;) {
      const c = this.#next();
      if (c === undefined || c === "\n") throw new JsonPathSyntaxError("unterminated filter");
      if (c === ")" && (pair === undefined || closed)) return;
      if (c !== '"' && c !== "'") continue;
      if (pair === undefined) pair = c;
      else if (c === pair && this.#input[this.#at - 2] !== "\\") closed = true;
    }
  }

  #quote(list: NodeList, end: string): void {
    for (;;) {
      const c = this.#next();
      if (c === undefined || c === "\n")
        throw new JsonPathSyntaxError("unterminated quoted string");
      if (c === end && this.#input[this.#at - 2] !== "\\") break;
    }
    const quoted = this.#consume();
    const text = unquoteGoString(quoted);
    if (text === undefined)
      throw new JsonPathSyntaxError(`unquote string ${quoted} error invalid syntax`);
    list.push({ at: "text", text });
  }

  #field(list: NodeList): void {
    this.#consume();
    for (let c = this.#peek(); !isTerminator(c); c = this.#peek()) {
      this.#next();
      if (c === "\\") this.#next();
    }
    const name = this.#consume();
    list.push(name === "*" ? { at: "wildcard" } : { at: "field", name: name.replaceAll("\\", "") });
  }

  #advanceTo(stop: (c: string | undefined) => boolean): void {
    while (!stop(this.#peek())) this.#next();
  }

  #peek(): string | undefined {
    const code = this.#input.codePointAt(this.#at);
    return code === undefined ? undefined : String.fromCodePoint(code);
  }

  #next(): string | undefined {
    const c = this.#peek();
    this.#at += c?.length ?? 0;
    return c;
  }

  /** The text since the last call. */
  #consume(): string {
    const text = this.#input.slice(this.#start, this.#at);
    this.#start = this.#at;
    return text;
  }
}

function parseSlice(text: string): Slice {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (!match) throw new JsonPathSyntaxError(`invalid array index ${text}`);
  const [start, end, step] = [
    toIndex(match[1]!),
    toIndex(match[2]?.slice(1) ?? ""),
    toIndex(match[3]?.slice(1) ?? ""),
  ];
  const single = !match[2];
  return { start, end: single ? (start ?? 0) + 1 : end, step, single };
}

function toIndex(text: string): number | undefined {
  if (text === "") return undefined;
  if (text === "-") throw new JsonPathSyntaxError(`array index ${text} is not a number`);
  return Number(text);
}

const isEndOfLine = (c: string): boolean => c === "\r" || c === "\n";
const isAlphaNumeric = (c: string): boolean => c === "_" || /[\p{L}\p{Nd}]/u.test(c);
const isTerminator = (c: string | undefined): boolean =>
  c === undefined || " \t\r\n.,[]$@{}".includes(c);

/** Go's %#U, e.g. `U+0021 '!'`. */
function formatRune(c: string): string {
  const code = `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
  return /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(c) ? `${code} '${c}'` : code;
}
