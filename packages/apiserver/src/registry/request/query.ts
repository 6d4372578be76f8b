// The query of a request, as Go's url.ParseQuery reads it, and the conversions that Kubernetes'
// parameter codec does.
// Upstream: net/url (parseQuery), k8s.io/apimachinery/pkg/runtime/conversion.go,
// pkg/apis/meta/v1/conversion.go.
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { unescapeBytes } from "./unescape-bytes.ts";

/** Query parameters; a parameter may have several values. */
export class Query {
  readonly #values = new Map<string, string[]>();
  /** The text after the question mark. */
  readonly raw: string;

  constructor(raw: string) {
    this.raw = raw;
    for (const pair of raw.split("&")) this.#add(pair);
  }

  /** All values, or undefined when the parameter is absent. */
  all(name: string): readonly string[] | undefined {
    return this.#values.get(name);
  }

  /** The first value, or undefined when the parameter is absent. */
  first(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  /** The first value, "" when the parameter is absent. */
  text(name: string): string {
    return this.first(name) ?? "";
  }

  /** Everything but `false` and `0` is true, the empty value included; undefined when absent. */
  flag(name: string): boolean | undefined {
    const value = this.first(name);
    return value === undefined ? undefined : value !== "0" && value.toLowerCase() !== "false";
  }

  /** A 64-bit integer; undefined when absent. Throws 400 with strconv's message. */
  integer(name: string): number | undefined {
    const value = this.first(name);
    return value === undefined ? undefined : Number(parseInt64(value));
  }

  /** Pairs that Go cannot unescape, and those with a semicolon, are dropped. */
  #add(pair: string): void {
    if (pair === "" || pair.includes(";")) return;
    const at = pair.indexOf("=");
    const name = unescape(at < 0 ? pair : pair.slice(0, at));
    const value = unescape(at < 0 ? "" : pair.slice(at + 1));
    if (name === undefined || value === undefined) return;
    const known = this.#values.get(name);
    if (known) known.push(value);
    else this.#values.set(name, [value]);
  }
}

const unescape = (text: string): string | undefined => unescapeBytes(text.replaceAll("+", " "));

function parseInt64(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text))
    throw badRequestError(`strconv.ParseInt: parsing ${quoteGo(text)}: invalid syntax`);
  const value = BigInt(text.replace(/^\+/, ""));
  if (BigInt.asIntN(64, value) !== value)
    throw badRequestError(`strconv.ParseInt: parsing ${quoteGo(text)}: value out of range`);
  return value;
}
