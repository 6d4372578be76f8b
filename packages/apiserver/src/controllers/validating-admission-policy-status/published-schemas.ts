// The schemas of kinds as the server publishes them, with what they refer to in place.
// Upstream: k8s.io/apiserver/pkg/cel/openapi/resolver/{discovery,refs}.go.
import { type GroupVersionKind, isObject, type Json, type JsonObject } from "homeostat/api";
import type { Client } from "homeostat/client";
import { type DeclType, schemaDeclType } from "../../schema/cel/decl-type.ts";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";

type Components = Readonly<Record<string, Json>>;

/** The declaration of a kind; undefined if the server publishes no schema of it. */
export async function declarationOf(
  client: Client,
  kind: GroupVersionKind,
): Promise<{ readonly declared: DeclType | undefined } | undefined> {
  const components = await componentsOf(client, kind);
  const found = Object.values(components).find((schema) => isOfKind(schema, kind));
  if (!found) return undefined;
  return { declared: schemaDeclType(resolve(found, components, []), "resource") };
}

async function componentsOf(
  client: Client,
  { group, version }: GroupVersionKind,
): Promise<Components> {
  const path = `/openapi/v3/${group ? `apis/${group}` : "api"}/${version}`;
  const document = (await client.request({ method: "GET", path })).json();
  const components = isObject(document) ? document.components : undefined;
  return isObject(components) && isObject(components.schemas) ? components.schemas : {};
}

function isOfKind(schema: Json, { group, version, kind }: GroupVersionKind): boolean {
  const named = isObject(schema) ? schema["x-kubernetes-group-version-kind"] : undefined;
  return (
    Array.isArray(named) &&
    named.some(
      (each) =>
        isObject(each) &&
        (each.group ?? "") === group &&
        each.version === version &&
        each.kind === kind,
    )
  );
}

/** A schema with its references resolved; one that refers to itself has no fields there. */
function resolve(
  schema: Json | undefined,
  components: Components,
  above: readonly string[],
): JsonSchemaProps {
  if (!isObject(schema)) return {};
  const name = referenceOf(schema);
  if (name !== undefined)
    return above.includes(name)
      ? { type: "object" }
      : resolve(components[name], components, [...above, name]);
  if (schema.format === "int-or-string") return { "x-kubernetes-int-or-string": true };
  const { properties, items, additionalProperties, ...rest } = schema;
  const below = (each: Json): Json => resolve(each, components, above) as Json;
  return {
    ...rest,
    ...(isObject(items) ? { items: below(items) } : {}),
    ...(isObject(additionalProperties)
      ? { additionalProperties: below(additionalProperties) }
      : {}),
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([field, each]) => [field, below(each)]),
          ),
        }
      : {}),
  } as JsonSchemaProps;
}

/** A reference, or one in a list of its own as OpenAPI v3 needs it beside a default. */
function referenceOf({ $ref, allOf }: JsonObject): string | undefined {
  const [only] = Array.isArray(allOf) && allOf.length === 1 ? allOf : [];
  const reference = $ref ?? (isObject(only) ? only.$ref : undefined);
  return typeof reference === "string"
    ? reference.slice(reference.lastIndexOf("/") + 1)
    : undefined;
}
