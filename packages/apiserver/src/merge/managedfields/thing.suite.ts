// A custom kind with every form of list and map, its objects, and times.
import type { Json, JsonObject } from "homeostat/api";
import { deducedType } from "../../apimachinery/types/smd-type.ts";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";
import { smdFromJsonSchema } from "../typed/smd-from-json-schema.ts";

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

export const at = (second: number): string =>
  `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
