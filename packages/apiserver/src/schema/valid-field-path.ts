// Resolves a path such as `.spec.color` or `.spec['my-key']` in a schema, as `fieldPath` of rules
// and selectable fields use it.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (ValidFieldPath, unescapeSingleQuote).
import { goEscapes } from "../apimachinery/values/go-syntax.ts";
import type { JsonSchemaProps } from "./json-schema-props.ts";

/** A path that the schema specifies, or upstream's message about why it does not. */
export type FieldPathResult =
  | {
      /** As field errors print it, e.g. `spec.map[key]`. */
      readonly path: string;
      readonly names: readonly string[];
      /** Undefined below `additionalProperties: true`. */
      readonly schema: JsonSchemaProps | undefined;
    }
  | { readonly fault: string };

/** A quoted string ends at the first quote without a backslash before it. */
const tokens = /'(?:[^']|(?<=\\)')*(?<!\\)'|'.*|[.[\]]|[^.[\]]+/gs;
const escapes: Readonly<Record<string, string>> = { ...goEscapes, "'": "'" };

/** Resolves `text` from `root` on. With `arrays: "refused"` brackets are an error. */
export function validFieldPath(
  text: string,
  root: JsonSchemaProps,
  { arrays = "allowed" }: { readonly arrays?: "allowed" | "refused" } = {},
): FieldPathResult {
  const rest = text.match(tokens) ?? [];
  const names: string[] = [];
  let path = "";
  let schema: JsonSchemaProps | undefined = root;
  for (let i = 0; i < rest.length;) {
    const isBracket = rest[i] === "[";
    if (isBracket && arrays === "refused") return { fault: "array notation is not allowed" };
    const step = readStep(rest[i]!, rest[i + 1]);
    if ("fault" in step) return step;
    const next = descend(schema, step.name);
    if (!next) return { fault: "does not refer to a valid field" };
    names.push(step.name);
    path += next.isKey ? `[${step.name}]` : `${path ? "." : ""}${step.name}`;
    schema = next.schema;
    const fault = isBracket ? closingFault(rest[i + 2]) : undefined;
    if (fault !== undefined) return { fault };
    i += isBracket ? 3 : 2;
  }
  return { path, names, schema };
}

type Step = { readonly name: string } | { readonly fault: string };

function readStep(delimiter: string, token: string | undefined): Step {
  if (delimiter !== "." && delimiter !== "[")
    return { fault: `expected [ or . but got: ${delimiter}` };
  if (token === undefined) return { fault: "unexpected end of JSON path" };
  if (delimiter === ".") return { name: token };
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    return { fault: `expected single quoted string but got ${token}` };
  return unescapeSingleQuote(token.slice(1, -1));
}

/** The last unknown escape is reported. */
function unescapeSingleQuote(text: string): Step {
  let unknown: string | undefined;
  const name = text.replace(/\\(.)/gs, (escape, c: string) => {
    if (!Object.hasOwn(escapes, c)) unknown = escape;
    return escapes[c] ?? "";
  });
  return unknown === undefined
    ? { name }
    : { fault: `invalid string literal: invalid escape char ${unknown}` };
}

const closingFault = (token: string | undefined): string | undefined => {
  if (token === "]") return undefined;
  return token === undefined ? "unexpected end of JSON path" : `expected ] but got ${token}`;
};

/** Undefined when the schema does not specify the name. */
function descend(
  schema: JsonSchemaProps | undefined,
  name: string,
): { readonly isKey: boolean; readonly schema: JsonSchemaProps | undefined } | undefined {
  const { properties, additionalProperties } = schema ?? {};
  if (properties && Object.keys(properties).length)
    return Object.hasOwn(properties, name) ? { isKey: false, schema: properties[name] } : undefined;
  if (additionalProperties === undefined) return undefined;
  return {
    isKey: true,
    schema: typeof additionalProperties === "object" ? additionalProperties : undefined,
  };
}
