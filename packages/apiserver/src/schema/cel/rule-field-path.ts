// `fieldPath` of a rule: a path such as `.spec.size` or `['my-key']` that must lead somewhere in
// the rule's schema.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (ValidFieldPath).
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { additionalOf } from "../schema-parts.ts";

const tokens = /'(?:[^']|(?<=\\)')*'|[.[\]]|[^.[\]]+/gs;
const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

/** The path as field errors show it, e.g. `spec.map[key]`, or undefined where it leads nowhere. */
export function resolveFieldPath(text: string, root: JsonSchemaProps): string | undefined {
  const rest = text.match(tokens) ?? [];
  let schema: JsonSchemaProps | undefined = root;
  let path = "";
  for (let i = 0; i < rest.length;) {
    const bracket = rest[i] === "[";
    if (!bracket && rest[i] !== ".") return undefined;
    const name: string | undefined = bracket ? unquote(rest[i + 1]) : rest[i + 1];
    if (name === undefined || (bracket && rest[i + 2] !== "]")) return undefined;
    if (schema?.properties) {
      if (!Object.hasOwn(schema.properties, name)) return undefined;
      path += path ? `.${name}` : name;
      schema = schema.properties[name];
    } else {
      if (schema?.additionalProperties === undefined) return undefined;
      path += `[${name}]`;
      schema = additionalOf(schema);
    }
    i += bracket ? 3 : 2;
  }
  return path;
}

function unquote(token: string | undefined): string | undefined {
  if (token === undefined || token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    return undefined;
  let valid = true;
  const text = token.slice(1, -1).replace(/\\(.)/gs, (_whole, c: string) => {
    if (!Object.hasOwn(escapes, c)) valid = false;
    return escapes[c] ?? "";
  });
  return valid ? text : undefined;
}
