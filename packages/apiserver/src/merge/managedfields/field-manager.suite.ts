// Set-up that the tests of the field manager share: one custom kind, and shorthands for its writes.
import { type Json, type JsonObject } from "homeostat/api";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";
import { createFieldManager, type FieldManager } from "./field-manager.ts";
import type { FieldManagerOptions } from "./field-manager-options.ts";
import { formatFieldPath } from "../fieldpath/field-path.ts";
import { pathsOf } from "../fieldpath/field-set.ts";
import { parseFieldsV1 } from "../fieldpath/fields-v1.ts";
import { managedFieldsOf } from "./managed-fields.ts";
import { smdFromJsonSchema } from "../typed/smd-from-json-schema.ts";
import { deducedType, type SmdType } from "../../apimachinery/types/smd-type.ts";

const schema: JsonSchemaProps = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string" },
        b: { type: "string" },
        map: { type: "object", additionalProperties: { type: "string" } },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        items: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            properties: { name: { type: "string" }, v: { type: "string" } },
          },
        },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
};
export const type = smdFromJsonSchema(schema, { objectMeta: deducedType });
export const apiVersion = "smd.homeostat.dev/v1",
  kind = "Thing";
export const empty = (): JsonObject => ({ apiVersion, kind });

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
export const at = (second: number): string =>
  `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
export const intent = (spec: Json, metadata: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: "t", ...metadata },
  spec,
});
export const stored = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), uid: "u" },
});
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
    return `${String(manager)} ${String(operation)}${subresource ? ` ${String(subresource)}` : ""}: ${[...pathsOf(parseFieldsV1(fieldsV1!))].map(formatFieldPath).join(" ")}`;
  });
export const times = (object: JsonObject): Json[] =>
  (managedFieldsOf(object) ?? []).map((entry) => (entry as JsonObject)["time"] ?? null);
