// Who else writes the caBundles of an object, from its managedFields. Pure.
import { isObject, type JsonObject } from "../../api/json.ts";

/** Field managers of caBundles other than `own`. */
export function otherWriters({ metadata }: JsonObject, own: string): readonly string[] {
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  if (!Array.isArray(entries)) return [];
  const managers = entries
    .filter(isObject)
    .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1 ?? {}).includes('"f:caBundle"'))
    .map(({ manager }) => String(manager));
  return [...new Set(managers)].filter((manager) => manager !== own);
}
