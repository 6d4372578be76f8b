// Whether an object of one version of a kind loses fields when it is read as another, because
// nothing converts it and the server drops what a version's schema does not have. Pure.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/nop_converter.go.
import type { ResourceDefinition } from "./define-resource.ts";
import type { StructuralSchema } from "./json-schema.ts";

const mostNamed = 3;

/**
 * A line about versions of one kind whose fields differ, such as `Order: v2 and v1 differ in
 * spec.table`; undefined when they are alike.
 */
export function describeLossyVersions(all: readonly ResourceDefinition[]): string | undefined {
  const fields = all.map(({ spec, status }) =>
    fieldsOf({ properties: { spec, ...(status && { status }) } }),
  );
  const every = new Set(fields.flatMap((one) => [...one.keys()]));
  const differing = [...every].filter((path) =>
    fields.some((one) => one.get(path) !== fields[0]!.get(path)),
  );
  if (differing.length === 0) return undefined;
  const named = differing.slice(0, mostNamed).join(", ");
  const more = differing.length > mostNamed ? ` and ${differing.length - mostNamed} more` : "";
  const versions = all.map(({ version }) => version).join(" and ");
  return `${all[0]!.kind}: its versions ${versions} differ in ${named}${more} and nothing converts them, so that reading one as the other loses fields: define a conversion (defineConversion) and serve it by \`webhooks\` of a manager`;
}

/** Types by path. What a schema leaves open has no fields. */
function fieldsOf(
  { properties = {}, items, additionalProperties }: StructuralSchema,
  path = "",
): ReadonlyMap<string, string> {
  const children: readonly (readonly [string, StructuralSchema])[] = [
    ...Object.entries(properties).map(
      ([name, schema]) => [path === "" ? name : `${path}.${name}`, schema] as const,
    ),
    ...(items ? [[`${path}[*]`, items] as const] : []),
    ...(additionalProperties ? [[`${path}.*`, additionalProperties] as const] : []),
  ];
  return new Map(
    children.flatMap(([at, schema]) => [[at, typeOf(schema)] as const, ...fieldsOf(schema, at)]),
  );
}

const typeOf = (schema: StructuralSchema): string =>
  schema["x-kubernetes-int-or-string"] ? "int or string" : (schema.type ?? "any");
