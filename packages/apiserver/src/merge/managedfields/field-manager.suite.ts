// Field managers of the kind Thing, and shorthands for their writes.
import { type Json, type JsonObject } from "homeostat/api";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import { formatPaths } from "../fieldpath/field-set.suite.ts";
import { parseFieldsV1 } from "../fieldpath/fields-v1.ts";
import { createFieldManager, type FieldManager } from "./field-manager.ts";
import type { FieldManagerOptions } from "./field-manager-options.ts";
import { managedFieldsOf } from "./managed-fields.ts";
import { apiVersion, at, empty, intent, kind, stored, type } from "./thing.suite.ts";

export function managerOf(options: Partial<FieldManagerOptions> = {}): FieldManager {
  return createFieldManager({
    group: "smd.homeostat.dev",
    version: "v1",
    kind,
    subresource: "",
    typeOf: (version): SmdType | undefined => (version === apiVersion ? type : undefined),
    unknownVersions: "drop",
    convert: (object) => object,
    empty,
    complete: (merged) => merged,
    resetFields: new Map(),
    ...options,
  });
}

export const fields = managerOf();
export const apply = (
  live: JsonObject | undefined,
  spec: Json,
  manager: string,
  how: { force?: boolean; second?: number; by?: FieldManager } = {},
): JsonObject =>
  stored(
    (how.by ?? fields).apply(live ?? empty(), intent(spec), {
      manager,
      force: how.force ?? false,
      now: at(how.second ?? 0),
    }),
  );
export const update = (
  live: JsonObject | undefined,
  spec: Json,
  manager: string,
  how: { second?: number; by?: FieldManager; managedFields?: Json } = {},
): JsonObject => {
  const kept = live ? managedFieldsOf(live) : undefined;
  const sent = "managedFields" in how ? how.managedFields! : (kept as Json[] | undefined);
  return stored(
    (how.by ?? fields).update(
      live ?? empty(),
      {
        ...intent(spec, { uid: "u" }),
        metadata: { name: "t", uid: "u", ...(sent === undefined ? {} : { managedFields: sent }) },
      },
      manager,
      at(how.second ?? 0),
    ),
  );
};

/** `manager Operation[ subresource]: paths`, in the order of the entries. */
export const owners = (object: JsonObject): string[] =>
  (managedFieldsOf(object) ?? []).map((entry) => {
    const { manager, operation, subresource, fieldsV1 } = entry as Record<string, Json>;
    return `${String(manager)} ${String(operation)}${subresource ? ` ${String(subresource)}` : ""}: ${formatPaths(parseFieldsV1(fieldsV1!)).join(" ")}`;
  });
export const times = (object: JsonObject): Json[] =>
  (managedFieldsOf(object) ?? []).map((entry) => (entry as JsonObject)["time"] ?? null);
