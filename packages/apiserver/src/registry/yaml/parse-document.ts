// Parses the first document of a YAML text. A state machine instead of recursion, as brackets may
// nest deeper than a stack. What follows the document is scanned as far as upstream does, and
// faults in it count.
// Upstream: go.yaml.in/yaml/v2 (parserc.go; decode.go, parser).
import {
  collections,
  defaultPrefixes,
  endsOfBlockPart,
  type Place,
  type State,
} from "./yaml-grammar.ts";
import type { Token, TokenType } from "./yaml-token.ts";
import type { YamlText } from "./yaml-text.ts";
import { YamlSyntaxError } from "./yaml-reader.ts";
import { YamlScanner } from "./yaml-scanner.ts";
import type { YamlNode } from "./yaml-node.ts";

interface Properties {
  readonly line: number;
  readonly tag: string;
  readonly anchor: string | undefined;
}

const none: Properties = { line: 0, tag: "", anchor: undefined };

/** The root of the first document; undefined for a text without one. Throws. */
export function parseDocument(text: YamlText): YamlNode | undefined {
  return new DocumentParser(text).parse();
}

class DocumentParser {
  readonly #scanner: YamlScanner;
  #state: State = "block-node";
  /** What comes after the node that is being parsed, innermost last. */
  readonly #after: State[] = ["document-end"];
  readonly #open: YamlNode[] = [];
  readonly #anchors = new Map<string, YamlNode>();
  readonly #prefixes = new Map<string, string>();
  #root: YamlNode | undefined;

  constructor(text: YamlText) {
    this.#scanner = new YamlScanner(text);
  }

  parse(): YamlNode | undefined {
    const { type } = this.#scanner.peek();
    if (type === "stream-end") return undefined;
    const isExplicit = type === "directive" || type === "document-start";
    if (isExplicit) this.#parseDirectives();
    for (const [handle, prefix] of defaultPrefixes)
      if (!this.#prefixes.has(handle)) this.#prefixes.set(handle, prefix);
    if (isExplicit) {
      this.#expect("document-start", "did not find expected <document start>");
      this.#state = "document-content";
    }
    while (this.#state !== "document-end") this.#step();
    this.#scanner.peek();
    return this.#root;
  }

  #parseDirectives(): void {
    let hasVersion = false;
    for (let token = this.#scanner.peek(); token.directive; token = this.#next()) {
      const { directive } = token;
      if (directive.name === "YAML") {
        if (hasVersion) fail("found duplicate %YAML directive", token);
        if (directive.version !== "1.1") fail("found incompatible YAML document", token);
        hasVersion = true;
      } else {
        if (this.#prefixes.has(directive.handle)) fail("found duplicate %TAG directive", token);
        this.#prefixes.set(directive.handle, directive.prefix);
      }
    }
  }

  #step(): void {
    switch (this.#state) {
      case "document-content":
        return this.#parseUnless(["directive", "document-start", "document-end", "stream-end"]);
      case "block-node":
        return this.#parseNode("block");
      case "block-sequence-entry":
        return this.#parseBlockEntry();
      case "indentless-sequence-entry":
        return this.#parseIndentlessEntry();
      case "block-mapping-key":
        return this.#parseBlockKey();
      case "block-mapping-value":
        return this.#parseBlockValue();
      case "pair-key":
        return this.#parsePairKey();
      case "pair-value":
        return this.#parseFlowValue("pair-end", "flow-sequence-end");
      case "pair-end":
        this.#state = "flow-sequence-entry";
        return void this.#open.pop();
      case "flow-mapping-value":
        return this.#parseFlowValue("flow-mapping-key", "flow-mapping-end");
      case "flow-mapping-no-value":
        this.#state = "flow-mapping-key";
        return this.#addEmpty(this.#scanner.peek().line);
      default:
        return this.#parseFlowMember(this.#state);
    }
  }

  /** The content of a document, which may be empty. */
  #parseUnless(ends: readonly TokenType[]): void {
    const { type, line } = this.#scanner.peek();
    if (!ends.includes(type)) return this.#parseNode("block");
    this.#leave();
    this.#addEmpty(line);
  }

  #parseNode(place: Place): void {
    const token = this.#scanner.peek();
    if (token.type === "alias") return this.#addAlias(token);
    const properties =
      token.type === "anchor" || token.type === "tag" ? this.#parseProperties(token) : none;
    const content = this.#scanner.peek();
    const line = properties === none ? content.line : properties.line;
    if (content.type === "scalar") {
      const { text, isPlain } = content;
      const { tag } = properties;
      this.#leave();
      this.#add("scalar", {
        ...properties,
        line,
        text,
        isPlain: (tag === "" && isPlain) || tag === "!",
      });
      return this.#scanner.skip();
    }
    const collection = collections[content.type];
    const isAllowed = collection?.places.includes(place);
    if (collection && isAllowed) {
      this.#open.push(this.#add(collection.kind, { ...properties, line }));
      this.#state = collection.state;
      // An indentless sequence has no token of its own.
      if (content.type !== "block-entry") this.#scanner.skip();
      return;
    }
    if (properties === none) fail("did not find expected node content", content);
    this.#leave();
    this.#add("scalar", { ...properties, isPlain: properties.tag === "" });
  }

  /** A tag and an anchor, at most one of each, in either order. */
  #parseProperties(first: Token): Properties {
    const second = this.#next();
    const other = first.type === "anchor" ? "tag" : "anchor";
    const tokens = second.type === other ? [first, second] : [first];
    if (tokens.length === 2) this.#next();
    const tag = tokens.find(({ type }) => type === "tag");
    return {
      line: first.line,
      tag: tag ? this.#tagOf(tag) : "",
      anchor: tokens.find(({ type }) => type === "anchor")?.text,
    };
  }

  #tagOf(token: Token): string {
    if (token.text === "") return token.suffix;
    const prefix = this.#prefixes.get(token.text);
    return prefix === undefined ? fail("found undefined tag handle", token) : prefix + token.suffix;
  }

  #parseBlockEntry(): void {
    const { type, line } = this.#scanner.peek();
    if (type === "block-end") return this.#close();
    if (type !== "block-entry") fail("did not find expected '-' indicator", this.#scanner.peek());
    this.#parseMember("block", "block-sequence-entry", {
      line,
      ends: ["block-entry", "block-end"],
    });
  }

  #parseIndentlessEntry(): void {
    const { type, line } = this.#scanner.peek();
    if (type !== "block-entry") {
      this.#leave();
      return void this.#open.pop();
    }
    const ends: TokenType[] = ["block-entry", "key", "value", "block-end"];
    this.#parseMember("block", "indentless-sequence-entry", { line, ends });
  }

  #parseBlockKey(): void {
    const { type, line } = this.#scanner.peek();
    if (type === "block-end") return this.#close();
    if (type !== "key") fail("did not find expected key", this.#scanner.peek());
    this.#parseMember("block-value", "block-mapping-value", { line, ends: endsOfBlockPart });
  }

  #parseBlockValue(): void {
    const { type, line } = this.#scanner.peek();
    if (type === "value")
      return this.#parseMember("block-value", "block-mapping-key", { line, ends: endsOfBlockPart });
    this.#state = "block-mapping-key";
    this.#addEmpty(line);
  }

  /** Parses what follows an indicator; one of `ends` makes it empty. */
  #parseMember(
    place: Place,
    after: State,
    { line, ends }: { line: number; ends: readonly TokenType[] },
  ): void {
    if (!ends.includes(this.#next().type)) {
      this.#after.push(after);
      return this.#parseNode(place);
    }
    this.#state = after;
    this.#addEmpty(line);
  }

  /** A member of brackets behind the opening one or a comma, or the closing one. */
  #parseFlowMember(state: State): void {
    const isMapping = state === "flow-mapping-first" || state === "flow-mapping-key";
    const end = isMapping ? "flow-mapping-end" : "flow-sequence-end";
    let token = this.#scanner.peek();
    if (token.type === end) return this.#close();
    if (state === "flow-mapping-key" || state === "flow-sequence-entry") {
      if (token.type !== "flow-entry")
        fail(`did not find expected ',' or '${isMapping ? "}" : "]"}'`, token);
      token = this.#next();
      if (token.type === end) return this.#close();
    }
    if (token.type === "key") return isMapping ? this.#parseFlowKey() : this.#openPair(token);
    this.#after.push(isMapping ? "flow-mapping-no-value" : "flow-sequence-entry");
    this.#parseNode("flow");
  }

  #parseFlowKey(): void {
    const { type, line } = this.#next();
    if (type !== "value" && type !== "flow-entry" && type !== "flow-mapping-end") {
      this.#after.push("flow-mapping-value");
      return this.#parseNode("flow");
    }
    this.#state = "flow-mapping-value";
    this.#addEmpty(line);
  }

  /** `[a: b]` is a sequence of a mapping. */
  #openPair({ line }: Token): void {
    this.#open.push(this.#add("mapping", { line }));
    this.#scanner.skip();
    this.#state = "pair-key";
  }

  #parsePairKey(): void {
    const { type, line } = this.#scanner.peek();
    if (type !== "value" && type !== "flow-entry" && type !== "flow-sequence-end") {
      this.#after.push("pair-value");
      return this.#parseNode("flow");
    }
    // Upstream takes the token for an empty key, whichever it is.
    this.#scanner.skip();
    this.#state = "pair-value";
    this.#addEmpty(line);
  }

  #parseFlowValue(after: State, end: TokenType): void {
    let token = this.#scanner.peek();
    if (token.type === "value") {
      token = this.#next();
      if (token.type !== "flow-entry" && token.type !== end) {
        this.#after.push(after);
        return this.#parseNode("flow");
      }
    }
    this.#state = after;
    this.#addEmpty(token.line);
  }

  #close(): void {
    this.#leave();
    this.#open.pop();
    this.#scanner.skip();
  }

  #leave(): void {
    this.#state = this.#after.pop()!;
  }

  #next(): Token {
    this.#scanner.skip();
    return this.#scanner.peek();
  }

  #expect(type: TokenType, problem: string): void {
    const token = this.#scanner.peek();
    if (token.type !== type) fail(problem, token);
    this.#scanner.skip();
  }

  #addEmpty(line: number): void {
    this.#add("scalar", { line, isPlain: true });
  }

  #addAlias(token: Token): void {
    const target = this.#anchors.get(token.text);
    if (!target) throw new YamlSyntaxError(`yaml: unknown anchor '${token.text}' referenced`);
    this.#leave();
    this.#add("alias", { line: token.line, text: token.text, target });
    this.#scanner.skip();
  }

  #add(kind: YamlNode["kind"], more: Partial<YamlNode & Properties>): YamlNode {
    const { line = 0, tag = "", text = "", isPlain = false, target, anchor } = more;
    const node = { kind, line, tag, text, isPlain, children: [], target };
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    const parent = this.#open.at(-1);
    if (parent) parent.children.push(node);
    else this.#root = node;
    return node;
  }
}

/** A parser's line is one less than a scanner's, and line zero is left out. */
function fail(problem: string, { line }: Token): never {
  throw new YamlSyntaxError(`yaml: ${line ? `line ${line}: ` : ""}${problem}`);
}
