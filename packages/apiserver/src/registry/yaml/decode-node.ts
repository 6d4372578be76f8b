// Decodes the nodes of a YAML document to JSON: what upstream's decoder makes of them, converted
// to JSON with sorted names. Without recursion, as nodes may nest deeper than a stack.
// Upstream: go.yaml.in/yaml/v2 (decode.go), sigs.k8s.io/yaml (yaml.go, convertToJSONableObject).
import { compareBytewise, type Json, type JsonObject, setOwn } from "homeostat/api";
import { formatGoNumber } from "../../apimachinery/errors/field-error.ts";
import { AliasBudget } from "./alias-budget.ts";
import {
  formatDecoded,
  formatKey,
  formatKeyFault,
  type MapKey,
  type Member,
  type OddMembers,
  toMapKey,
} from "./map-key.ts";
import { decodeScalar, type YamlScalar } from "./decode-scalar.ts";
import type { YamlNode } from "./yaml-node.ts";
import { YamlSyntaxError } from "./yaml-reader.ts";

/** A decoded document. */
export interface DecodedYaml {
  readonly value: Json;
  /** Keys that are set twice, e.g. `line 4: key "a" already set in map`. */
  readonly strictErrors: readonly string[];
  /**
   * Whether the text of a number in JSON reads as another one: an integer beyond int64, a float
   * whose text is that of a large integer, a negative zero.
   */
  readonly hasOddNumbers: boolean;
}

/** Decodes a document. Throws {@link YamlSyntaxError}. */
export function decodeNode(root: YamlNode): DecodedYaml {
  const decoder = new Decoder();
  const value = decoder.decode(root);
  const { keyFault, oddMembers, hasNonFinite, hasOddNumbers, strictErrors } = decoder;
  if (keyFault) throw new YamlSyntaxError(formatKeyFault(keyFault, oddMembers));
  if (hasNonFinite) assertFinite(value);
  return { value, strictErrors, hasOddNumbers };
}

/** Members of a mapping by the identity of their keys, in the order of the document. */
type Members = Map<string, { readonly key: MapKey; value: Json }>;

/** A collection that is being decoded. */
interface Open {
  readonly node: YamlNode;
  /** The alias that stands for it. */
  readonly alias: YamlNode | undefined;
  /** The child that is next; sources of a merge are taken from the last. */
  at: number;
  readonly list: Json[] | undefined;
  readonly members: Members | undefined;
  /** Whether a key before it is one that JSON cannot have. */
  readonly hasFaultBefore: boolean;
  /** Whether the members go to another mapping, which is open as well. */
  readonly isMerge: boolean;
  /** The key of the value that is being decoded. */
  key: MapKey | undefined;
}

/** Upstream reads the JSON of a body with this limit (encoding/json, maxNestingDepth). */
const maxDepth = 10_000;

class Decoder {
  readonly strictErrors: string[] = [];
  hasOddNumbers = false;
  /** Whether there are infinite numbers or NaN, for which JSON has no text. */
  hasNonFinite = false;
  /** The first member that JSON cannot have for its key, the outermost of nested ones. */
  keyFault: Member | undefined;
  readonly oddMembers: OddMembers = new WeakMap();
  readonly #open: Open[] = [];
  /** Aliases that are being decoded: one that is met again would not end. */
  readonly #aliases = new Set<YamlNode>();
  readonly #budget = new AliasBudget();

  decode(root: YamlNode): Json {
    const outside = this.#open.length;
    let done = this.#begin(root);
    while (this.#open.length > outside) {
      const open = this.#open.at(-1)!;
      if (done !== undefined) this.#put(open, done);
      if (this.#isAtEnd(open)) {
        done = this.#end(open);
      } else done = open.list ? this.#begin(open.node.children[open.at++]!) : this.#member(open);
    }
    return done!;
  }

  /** The value of a scalar; undefined if a collection has been opened. */
  #begin(node: YamlNode): Json | undefined {
    const { target, alias } = this.#resolve(node);
    if (target.kind === "scalar") {
      const value = this.#toJson(decodeScalar(target));
      this.#leave(alias);
      return value;
    }
    const isList = target.kind === "sequence";
    this.#push(target, alias, isList ? { list: [] } : { members: new Map() });
    return undefined;
  }

  /** Counts a node, and enters what an alias stands for. */
  #resolve(node: YamlNode): { target: YamlNode; alias: YamlNode | undefined } {
    this.#budget.count(this.#aliases.size);
    if (node.kind !== "alias") return { target: node, alias: undefined };
    if (this.#aliases.has(node))
      throw new YamlSyntaxError(`yaml: anchor '${node.text}' value contains itself`);
    this.#aliases.add(node);
    this.#budget.count(this.#aliases.size);
    return { target: node.target!, alias: node };
  }

  #leave(alias: YamlNode | undefined): void {
    if (alias) this.#aliases.delete(alias);
  }

  #push(node: YamlNode, alias: YamlNode | undefined, more: Partial<Open>): void {
    const { list, members, isMerge = false } = more;
    if (this.#open.length === maxDepth) throw new RangeError("nested too deeply");
    const hasFaultBefore = this.keyFault !== undefined;
    this.#open.push({ node, alias, at: 0, list, members, hasFaultBefore, isMerge, key: undefined });
  }

  #isAtEnd({ node, at }: Open): boolean {
    return at === node.children.length;
  }

  /** The value of a collection; undefined for one whose members went to another. */
  #end({ alias, list, members, hasFaultBefore, isMerge }: Open): Json | undefined {
    this.#open.pop();
    this.#leave(alias);
    return isMerge ? undefined : (list ?? this.#toObject(members!, hasFaultBefore));
  }

  #put({ node, at, list, members, key }: Open, value: Json): void {
    if (list) return void list.push(value);
    // NaN equals no key, itself included.
    const before = Number.isNaN(key!.scalar.value) ? undefined : members!.get(key!.identity);
    if (before) {
      const { line } = node.children[at - 1]!;
      this.strictErrors.push(`line ${line + 1}: key ${formatKey(key!)} already set in map`);
      before.value = value;
    } else members!.set(key!.identity, { key: key!, value });
  }

  /** Goes on with a mapping, or with the sources of a merge. */
  #member(open: Open): Json | undefined {
    const { node, members } = open;
    if (node.kind === "sequence") {
      this.#beginMerge(node.children[node.children.length - ++open.at]!, members!);
      return undefined;
    }
    const [key, value] = [node.children[open.at]!, node.children[open.at + 1]!];
    open.at += 2;
    if (isMerge(key)) {
      this.#beginMerges(value, members!);
      return undefined;
    }
    open.key = this.#key(key);
    return this.#begin(value);
  }

  /** A value of `<<`: a mapping, or a sequence of them. */
  #beginMerges(node: YamlNode, members: Members): void {
    if (node.kind !== "sequence") return this.#beginMerge(node, members);
    this.#push(node, undefined, { members, isMerge: true });
  }

  #beginMerge(node: YamlNode, members: Members): void {
    if ((node.target ?? node).kind !== "mapping")
      throw new YamlSyntaxError("yaml: map merge requires map or sequence of maps as the value");
    const { target, alias } = this.#resolve(node);
    this.#push(target, alias, { members, isMerge: true });
  }

  #key(node: YamlNode): MapKey {
    const target = node.target ?? node;
    if (target.kind !== "scalar") {
      const value = this.decode(node);
      throw new YamlSyntaxError(`yaml: invalid map key: ${formatDecoded(value, this.oddMembers)}`);
    }
    const { alias } = this.#resolve(node);
    const key = toMapKey(decodeScalar(target));
    this.#leave(alias);
    return key;
  }

  #toJson({ value }: YamlScalar): Json {
    if (typeof value !== "number" && typeof value !== "bigint") return value;
    if (typeof value === "number" && !Number.isFinite(value)) this.hasNonFinite = true;
    else if (typeof value === "bigint" ? isBeyondInt64(value) : isOddNumber(value))
      this.hasOddNumbers = true;
    return value;
  }

  #toObject(members: Members, hasFaultBefore: boolean): JsonObject {
    const out: JsonObject = {};
    const sorted = [...members.values()].sort((a, b) => compareBytewise(a.key.text, b.key.text));
    let isOdd = false;
    for (const member of sorted) {
      const { key, value } = member;
      isOdd ||= key.scalar.type !== "str";
      if (key.isUnsupported && !hasFaultBefore) this.keyFault = member;
      setOwn(out, key.text, value);
    }
    if (isOdd) this.oddMembers.set(out, sorted);
    return out;
  }
}

const isBeyondInt64 = (value: bigint): boolean => value !== BigInt.asIntN(64, value);
const isOddNumber = (value: number): boolean =>
  Object.is(value, -0) || (Number.isInteger(value) && !Number.isSafeInteger(value));

/** A plain `<<`. */
const isMerge = ({ kind, text, tag, isPlain }: YamlNode): boolean =>
  kind === "scalar" && text === "<<" && (isPlain || tag === "tag:yaml.org,2002:merge");

/** Throws for the first number without a text in JSON; names are in order. */
function assertFinite(root: Json): void {
  const rest = [root];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (typeof value === "number" && !Number.isFinite(value))
      throw new YamlSyntaxError(`json: unsupported value: ${formatGoNumber(value)}`);
    if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value).reverse()) rest.push(inner as Json);
  }
}
