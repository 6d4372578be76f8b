// YAML 1.1 bodies to JSON values as upstream turns them, with Go's words for what is broken. The library is loaded when the
// first YAML body comes.
// Upstream: sigs.k8s.io/yaml (yaml.go, goyaml.v2).
import type { Json, JsonObject, ParsedJson } from "homeostat/api";
import { setOwn } from "homeostat/api";
import type { Alias, Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";

/** A YAML body, and what a strict reader would say about it, e.g. `line 4: key "a" already set in map`. */
export interface ParsedYaml extends ParsedJson {
  readonly strictErrors: readonly string[];
}

/** The text is not YAML; `message` begins with `yaml: `. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
}

const maxAliases = 10_000;

/** Parses the first document; an empty one is null. Throws {@link YamlSyntaxError}. */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  const { LineCounter, parseAllDocuments } = await import("yaml");
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { version: "1.1", schema: "yaml-1.1", uniqueKeys: false, intAsBigInt: true, merge: true, lineCounter: lines, logLevel: "silent", prettyErrors: false });
  const document = Array.isArray(documents) ? documents[0] : undefined;
  if (!document) return { value: null, duplicates: [], floatLiterals: new Map(), strictErrors: [] };
  const fault = document.errors[0];
  if (fault) throw new YamlSyntaxError(formatFault(fault.code, lines.linePos(fault.pos[0]).line, text, fault.pos[0]));
  const converter = new Converter(document, (offset) => lines.linePos(offset).line);
  const value = converter.value(document.contents as Node | null);
  return { value, duplicates: [], floatLiterals: new Map(), strictErrors: converter.strictErrors };
}

class Converter {
  readonly strictErrors: string[] = [];
  readonly #document: Document;
  readonly #lineOf: (offset: number) => number;
  #aliases = 0;

  constructor(document: Document, lineOf: (offset: number) => number) {
    this.#document = document;
    this.#lineOf = lineOf;
  }

  value(node: Node | null): Json {
    if (!node) return null;
    if ("source" in node && !("value" in node)) return this.#alias(node as Alias);
    if ("items" in node) return isSequence(node) ? node.items.map((item) => this.value(item as Node)) : this.#map(node as YAMLMap);
    return scalarToJson(node as Scalar);
  }

  #alias(node: Alias): Json {
    if (++this.#aliases > maxAliases) throw new YamlSyntaxError("yaml: document contains excessive aliasing");
    return this.value(node.resolve(this.#document) as Node | null);
  }

  #map(node: YAMLMap): JsonObject {
    const out: JsonObject = {};
    const own = new Set<string>();
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      const key = keyText(pair.key);
      if (key === "<<") {
        this.#merge(out, own, this.value(pair.value));
        continue;
      }
      if (own.has(key)) this.strictErrors.push(`line ${this.#lineOf(pair.key.range?.[0] ?? 0)}: key ${JSON.stringify(key)} already set in map`);
      own.add(key);
      setOwn(out, key, this.value(pair.value));
    }
    return out;
  }

  /** Merged members never replace the map's own. */
  #merge(out: JsonObject, own: ReadonlySet<string>, merged: Json): void {
    for (const source of Array.isArray(merged) ? merged : [merged]) {
      if (typeof source !== "object" || source === null || Array.isArray(source)) throw new YamlSyntaxError("yaml: map merge requires map or sequence of maps as the value");
      for (const key of Object.keys(source)) if (!own.has(key) && !Object.hasOwn(out, key)) setOwn(out, key, source[key]!);
    }
  }
}

const isSequence = (node: Node): node is YAMLSeq => node.constructor.name === "YAMLSeq";

function scalarToJson({ value, source }: Scalar): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new YamlSyntaxError(`json: unsupported value: ${source ?? String(value)}`);
    return value;
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  return source ?? String(value);
}

/** Keys of other types become text, as upstream's converter has it. */
function keyText(key: Node | null): string {
  if (!key || !("value" in key)) return key && "items" in key ? "" : "null";
  const value = scalarToJson(key as Scalar);
  return typeof value === "string" ? value : String(value);
}

/** The library's faults in go-yaml's words, where the two see the same fault. */
function formatFault(code: string, line: number, text: string, offset: number): string {
  if (code === "TAB_AS_INDENT" || text[offset] === "\t" || text[offset] === "@" || text[offset] === "`" || text[offset] === "%") return `yaml: line ${line}: found character that cannot start any token`;
  const atEnd = offset >= text.trimEnd().length;
  if (code === "MISSING_CHAR" && /[{[][^}\]]*$/.test(text.slice(0, offset))) {
    const open = Math.max(text.lastIndexOf("{", offset), text.lastIndexOf("[", offset));
    return `yaml: line ${Math.max(1, text.slice(0, offset).trimEnd().split("\n").length)}: did not find expected ',' or '${text[open] === "[" ? "]" : "}"}'`;
  }
  if (code === "MISSING_CHAR" && atEnd) return `yaml: line ${line}: found unexpected end of stream`;
  if (code === "BAD_ALIAS") return "yaml: unknown anchor referenced";
  if (code === "BAD_INDENT" || code === "MULTILINE_IMPLICIT_KEY" || code === "UNEXPECTED_TOKEN" || code === "BLOCK_AS_IMPLICIT_KEY") return `yaml: line ${line}: mapping values are not allowed in this context`;
  return `yaml: line ${line}: did not find expected key`;
}
