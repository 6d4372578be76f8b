// Follows a path such as `.spec.color` or `.spec['my-key']` through a schema, as fieldPath of rules
// and selectable fields do.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go (ValidFieldPath).
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";

/** What a path leads to. `schema` is undefined below `additionalProperties: true`. */
export type FoundSchema =
  | { readonly path: readonly string[]; readonly schema: JsonSchemaProps | undefined }
  | { readonly fault: string };

const tokens = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs;

/** `arrays: "refused"` forbids the bracket notation. */
export function findSchemaAtPath(
  text: string,
  root: JsonSchemaProps,
  { arrays }: { readonly arrays: "allowed" | "refused" },
): FoundSchema {
  const rest = text.match(tokens) ?? [];
  const path: string[] = [];
  let schema: JsonSchemaProps | undefined = root;
  for (let i = 0; i < rest.length;) {
    const step = readStep(rest, i, arrays);
    if ("fault" in step) return step;
    const next = descend(schema, step.name);
    if (next === "nowhere") return { fault: "does not refer to a valid field" };
    path.push(step.name);
    schema = next;
    if (step.open && rest[step.next] !== "]")
      return {
        fault:
          step.next < rest.length
            ? `expected ] but got ${rest[step.next]}`
            : "unexpected end of JSON path",
      };
    i = step.open ? step.next + 1 : step.next;
  }
  return { path, schema };
}

type Step =
  | { readonly name: string; readonly next: number; readonly open: boolean }
  | { readonly fault: string };

function readStep(rest: readonly string[], i: number, arrays: "allowed" | "refused"): Step {
  const delimiter = rest[i]!;
  const token = rest[i + 1];
  if (delimiter !== "." && delimiter !== "[")
    return { fault: `expected [ or . but got: ${delimiter}` };
  if (delimiter === "[" && arrays === "refused") return { fault: "array notation is not allowed" };
  if (token === undefined) return { fault: "unexpected end of JSON path" };
  if (delimiter === ".") return { name: token, next: i + 2, open: false };
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    return { fault: `expected single quoted string but got ${token}` };
  return { name: token.slice(1, -1).replace(/\\(['"\\])/g, "$1"), next: i + 2, open: true };
}

function descend(
  schema: JsonSchemaProps | undefined,
  name: string,
): JsonSchemaProps | undefined | "nowhere" {
  if (schema?.properties && Object.keys(schema.properties).length)
    return Object.hasOwn(schema.properties, name) ? schema.properties[name] : "nowhere";
  const additional = schema?.additionalProperties;
  if (additional === undefined) return "nowhere";
  return typeof additional === "object" ? additional : undefined;
}
