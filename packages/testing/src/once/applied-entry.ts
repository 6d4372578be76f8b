// What a server notes of an apply in managedFields, as far as one reconcile looks at it. Pure.
import type { JsonObject } from "homeostat/api";

/** The entry of `manager` for what it has applied. */
export function appliedEntry(
  manager: string,
  applied: JsonObject,
  subresource: string | undefined,
): JsonObject {
  const { apiVersion = "v1", kind: _, metadata, ...fields } = applied;
  const { name: _name, namespace: _namespace, ...meta } = (metadata ?? {}) as JsonObject;
  return {
    manager,
    operation: "Apply",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: fieldsOf({ metadata: meta, ...fields }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** Fields of maps, and owner references by their uid; other lists are whole. */
function fieldsOf(value: unknown): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      `f:${name}`,
      name === "ownerReferences" ? byUid(each as readonly { uid: string }[]) : fieldsOf(each),
    ]),
  );
}

const byUid = (references: readonly { readonly uid: string }[]): JsonObject =>
  Object.fromEntries(references.map(({ uid }) => [`k:${JSON.stringify({ uid })}`, {}]));
