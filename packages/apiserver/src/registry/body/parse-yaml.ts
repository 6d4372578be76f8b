// Parses YAML 1.1 bodies to JSON values as upstream does, with go-yaml's messages for faults. The
// library is loaded with the first YAML body.
// Upstream: sigs.k8s.io/yaml (yaml.go, goyaml.v2).
import type { Json, JsonObject, ParsedJson } from "homeostat/api";
import { compareBytewise, encodeJson, parseJson, setOwn } from "homeostat/api";
import { formatBadValue } from "../../apimachinery/errors/field-error.ts";
import { readJsonInYaml } from "./json-in-yaml.ts";
import { formatFloatKey, resolveScalar, type ScalarType } from "./resolve-scalar.ts";
import { findPlainFault, formatYamlFault } from "./yaml-faults.ts";
import type { Alias, Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";

/** A YAML body and its strict errors, e.g. `line 4: key "a" already set in map`. */
export interface ParsedYaml extends ParsedJson {
  readonly strictErrors: readonly string[];
}

/** The text is not YAML; `message` begins with `yaml: `. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
}

const plainNumbers: Omit<ParsedJson, "value"> = { duplicates: [], floatLiterals: new Map() };
const maxAliases = 10_000;
const tooDeep = "yaml: exceeded max depth of 10000";

/** Parses the first document; an empty one is null. Throws {@link YamlSyntaxError}. */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  try {
    return await readYaml(text);
  } catch (error) {
    // The library overflows the stack long before upstream's limit.
    throw error instanceof RangeError ? new YamlSyntaxError(tooDeep) : error;
  }
}

async function readYaml(text: string): Promise<ParsedYaml> {
  const simple = readJsonInYaml(text);
  if (simple !== undefined) return { value: simple, ...plainNumbers, strictErrors: [] };
  const plainFault = findPlainFault(text);
  if (plainFault) throw new YamlSyntaxError(plainFault);
  const { LineCounter, parseAllDocuments } = await import("yaml");
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    schema: "yaml-1.1",
    uniqueKeys: false,
    intAsBigInt: true,
    merge: true,
    lineCounter: lines,
    logLevel: "silent",
    prettyErrors: false,
  });
  const document = Array.isArray(documents) ? documents[0] : undefined;
  if (!document) return { value: null, ...plainNumbers, strictErrors: [] };
  const fault = document.errors.find(
    ({ code, pos }) =>
      code !== "UNEXPECTED_TOKEN" || !isBehindFlow(document.contents as Node | null, pos[0]),
  );
  if (fault)
    throw new YamlSyntaxError(
      formatYamlFault({ code: fault.code, message: fault.message, offset: fault.pos[0] }, text),
    );
  const converter = new Converter(document, (offset) => lines.linePos(offset).line);
  const value = converter.value(document.contents as Node | null);
  const { strictErrors, hasLargeNumbers } = converter;
  // Upstream decodes the JSON of the value, in which a number beyond int64 is no integer.
  const json = hasLargeNumbers ? parseJson(encodeJson(value)) : { value, ...plainNumbers };
  return { ...json, strictErrors };
}

/** After the closing bracket of the root the next document begins, which is not parsed. */
const isBehindFlow = (root: Node | null, offset: number): boolean =>
  root !== null &&
  "flow" in root &&
  root.flow === true &&
  offset >= (root.range?.[1] ?? Number.POSITIVE_INFINITY);

class Converter {
  /** Anchored nodes that are being converted: an alias to one of them would not end. */
  readonly #open = new Set<Node>();
  readonly strictErrors: string[] = [];
  /** Whether a number lies beyond int64. */
  hasLargeNumbers = false;
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
    if (!("items" in node)) return this.#scalar(node as Scalar);
    this.#open.add(node);
    const value = isSequence(node)
      ? node.items.map((item) => this.value(item as Node))
      : this.#map(node as YAMLMap);
    this.#open.delete(node);
    return value;
  }

  #scalar(node: Scalar): Json {
    const value = scalarToJson(node);
    const isNumber = typeof value === "number" || typeof value === "bigint";
    if (isNumber && (value >= 2 ** 63 || value <= -(2 ** 63))) this.hasLargeNumbers = true;
    return value;
  }

  #alias(node: Alias): Json {
    if (++this.#aliases > maxAliases)
      throw new YamlSyntaxError("yaml: document contains excessive aliasing");
    const target = node.resolve(this.#document) as Node | undefined;
    if (!target) throw new YamlSyntaxError(`yaml: unknown anchor '${node.source}' referenced`);
    if (this.#open.has(target))
      throw new YamlSyntaxError(`yaml: anchor '${node.source}' value contains itself`);
    return this.value(target);
  }

  #map(node: YAMLMap): JsonObject {
    const out: JsonObject = {};
    const own = new Set<string>();
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      if ("items" in pair.key)
        throw new YamlSyntaxError(
          `yaml: invalid map key: ${formatGoInterface(this.value(pair.key))}`,
        );
      const key = keyText(pair.key, () => this.value(pair.value));
      if (key === "<<") {
        this.#merge(out, own, this.value(pair.value));
        continue;
      }
      if (own.has(key))
        this.strictErrors.push(
          `line ${this.#lineOf(pair.key.range?.[0] ?? 0)}: key ${JSON.stringify(key)} already set in map`,
        );
      own.add(key);
      setOwn(out, key, this.value(pair.value));
    }
    return sorted(out);
  }

  /** Merged members never replace the map's own. */
  #merge(out: JsonObject, own: ReadonlySet<string>, merged: Json): void {
    for (const source of Array.isArray(merged) ? merged : [merged]) {
      if (typeof source !== "object" || source === null || Array.isArray(source))
        throw new YamlSyntaxError("yaml: map merge requires map or sequence of maps as the value");
      for (const key of Object.keys(source))
        if (!own.has(key) && !Object.hasOwn(out, key)) setOwn(out, key, source[key]!);
    }
  }
}

/**
 * Upstream converts the body to JSON first, with sorted names, and reports the first of several
 * faults.
 */
function sorted(map: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const key of Object.keys(map).sort(compareBytewise)) setOwn(out, key, map[key]!);
  return out;
}

/** Go's %#v of decoded YAML, e.g. `[]interface {}{"a"}`. */
function formatGoInterface(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(formatGoInterface).join(", ")}}`;
  if (typeof value !== "object")
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  return `map[interface {}]interface {}{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${formatGoInterface(value[key]!)}`)
    .join(", ")}}`;
}

const isSequence = (node: Node): node is YAMLSeq => node.constructor.name === "YAMLSeq";

/** Types by the tags that ask for them. */
const tagged: Readonly<Record<string, ScalarType>> = {
  "tag:yaml.org,2002:bool": "bool",
  "tag:yaml.org,2002:float": "float",
  "tag:yaml.org,2002:int": "int",
  "tag:yaml.org,2002:null": "null",
  "tag:yaml.org,2002:timestamp": "timestamp",
};

function scalarToJson(node: Scalar): Json {
  const { value, source = "", tag = "" } = node;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  const asked = tagged[tag];
  if (tag ? asked === undefined : node.type !== "PLAIN") return source;
  const resolved = resolveScalar(source);
  const isWhole = resolved.type === "int" && asked === "float";
  if (asked !== undefined && asked !== resolved.type && !isWhole)
    throw new YamlSyntaxError(
      `yaml: cannot decode !!${resolved.type} \`${source}\` as a !!${asked}`,
    );
  if (typeof resolved.value === "number" && !Number.isFinite(resolved.value))
    throw new YamlSyntaxError(`json: unsupported value: ${formatNonFinite(resolved.value)}`);
  return isWhole ? Number(resolved.value) : resolved.value;
}

function formatNonFinite(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/** Converts keys of other types to text as upstream does; a missing key and null are faults. */
function keyText(key: Node | null, value: () => Json): string {
  if (!key || !("value" in key)) throw new YamlSyntaxError("yaml: did not find expected key");
  const scalar = key as Scalar;
  const isPlain = !scalar.tag && scalar.type === "PLAIN";
  const resolved = isPlain ? resolveScalar(scalar.source ?? "") : undefined;
  if (resolved?.type === "float") return formatFloatKey(resolved.value as number);
  const text = scalarToJson(scalar);
  if (typeof text === "bigint" && text >= 2n ** 63n)
    throw new YamlSyntaxError(
      `unsupported map key of type: uint64, key: 0x${text.toString(16)}, value: ${formatBadValue(value())}`,
    );
  if (text === null && !scalar.source) throw new YamlSyntaxError("yaml: did not find expected key");
  if (text === null)
    throw new YamlSyntaxError(
      `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${formatBadValue(value())}`,
    );
  return typeof text === "string" ? text : String(text);
}
