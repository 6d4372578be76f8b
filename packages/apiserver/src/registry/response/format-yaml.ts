// Formats JSON values as YAML in the layout of go-yaml's emitter: blocks, lists at the indentation
// of their key, plain and quoted texts folded after column 80.
// Upstream: go.yaml.in/yaml/v2 (encode.go, emitterc.go), by way of sigs.k8s.io/yaml.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { compareYamlKeys } from "./yaml-key-order.ts";
import { formatYamlNumber, quoteYaml, type YamlStyle, yamlStyleOf } from "./yaml-scalar.ts";

/** Formats with a final newline. */
export function formatYaml(object: JsonObject): string {
  const writer = new YamlWriter();
  writer.root(object);
  return writer.text();
}

const isSimpleKey = (key: string): boolean =>
  !/[\n\r\u0085\u2028\u2029]/.test(key) && Buffer.byteLength(key) <= longestSimpleKey;

/** The position of a node. */
type Place = "root" | "value" | "item";

const bestWidth = 80;
const longestSimpleKey = 128;

class YamlWriter {
  #out = "";
  #column = 0;
  /**
   * Pieces that are still to be written, the next one last. A stack: objects may be nested too
   * deeply for recursion.
   */
  readonly #open: (() => void)[] = [];

  text(): string {
    return `${this.#out}\n`;
  }

  root(value: Json): void {
    this.#node(value, 0, "root");
    for (let write = this.#open.pop(); write; write = this.#open.pop()) write();
  }

  /** Puts `parts` before the pieces that are still to be written. */
  #each<T>(parts: readonly T[], write: (part: T, i: number) => void): void {
    for (let i = parts.length - 1; i >= 0; i--) this.#open.push(() => write(parts[i]!, i));
  }

  #put(text: string): void {
    this.#out += text;
    this.#column += text.length;
  }

  #line(indent: number): void {
    this.#out += `\n${" ".repeat(indent)}`;
    this.#column = indent;
  }

  /**
   * The last that its caller writes. `indent` is that of the block around the node. A value and an
   * item follow a colon or a dash, and a root nothing.
   */
  #node(value: Json, indent: number, place: Place): void {
    if (Array.isArray(value) && value.length) this.#list(value, indent, place);
    else if (isObject(value) && Object.keys(value).length)
      this.#map(value, place === "root" ? 0 : indent + 2, place);
    else this.#scalar(value, indent + 2, place);
  }

  #map(value: JsonObject, indent: number, place: Place): void {
    if (place === "item") this.#put(" ");
    this.#each(Object.keys(value).sort(compareYamlKeys), (key, i) => {
      if (i || place === "value") this.#line(indent);
      this.#member(key, value[key]!, indent);
    });
  }

  #member(key: string, value: Json, indent: number): void {
    if (isSimpleKey(key)) this.#put(`${quoteYaml(key, yamlStyleOf(key))}:`);
    else {
      this.#put("?");
      this.#scalar(key, indent + 2, "item");
      this.#line(indent);
      this.#put(":");
    }
    this.#node(value, indent, "value");
  }

  /** Lists under a key are not indented further. */
  #list(items: readonly Json[], indent: number, place: Place): void {
    const own = place === "item" ? indent + 2 : indent;
    if (place === "item") this.#put(" ");
    this.#each(items, (item, i) => {
      if (i || place === "value") this.#line(own);
      this.#put("-");
      this.#node(item, own, "item");
    });
  }

  #scalar(value: Json, indent: number, place: Place): void {
    const text = typeof value === "string" ? undefined : formatOther(value);
    if (text !== undefined) return this.#put(place === "root" ? text : ` ${text}`);
    this.#string(
      value as string,
      yamlStyleOf(value as string),
      indent,
      place === "root" ? "" : " ",
    );
  }

  #string(value: string, style: YamlStyle, indent: number, space: string): void {
    if (style === "literal") return this.#literal(value, indent, space);
    if (value === "" && style === "plain") return;
    this.#put(space);
    this.#folded(quoteYaml(value, style), style, indent);
  }

  /**
   * Breaks at single spaces behind the best width; in quotes, never at the first or the last
   * character.
   */
  #folded(text: string, style: YamlStyle, indent: number): void {
    let afterSpace = false;
    const quoted = style !== "plain";
    for (let i = 0; i < text.length;) {
      const c = String.fromCodePoint(text.codePointAt(i)!);
      const inside = !quoted || (i > 1 && i < text.length - 2);
      if (
        c === " " &&
        !afterSpace &&
        this.#column > bestWidth &&
        inside &&
        (style === "double" || text[i + 1] !== " ")
      ) {
        this.#line(indent);
        if (text[i + 1] === " ") this.#put("\\");
      } else {
        this.#out += c;
        this.#column++;
      }
      afterSpace = c === " ";
      i += c.length;
    }
  }

  #literal(value: string, indent: number, space: string): void {
    const hint = /^[ \n\r\u0085\u2028\u2029]/.test(value) ? "2" : "";
    const keep = chompingOf(value);
    this.#put(`${space}|${hint}${keep}`);
    const lines = value.split("\n");
    const last = keep === "-" ? lines.length : lines.length - 1;
    for (const line of lines.slice(0, last)) {
      if (line === "") this.#line(0);
      else {
        this.#line(indent);
        this.#put(line);
      }
    }
  }
}

/** The chomping indicator of a literal block. */
function chompingOf(value: string): "+" | "-" | "" {
  if (/(?:\n|^)\n$/.test(value)) return "+";
  return value.endsWith("\n") ? "" : "-";
}

function formatOther(value: Json): string {
  if (typeof value === "number" || typeof value === "bigint") return formatYamlNumber(value);
  if (Array.isArray(value)) return "[]";
  return isObject(value) ? "{}" : String(value);
}
