// A type of structured merge with every kind of field, for the tests of typed values.
import { deducedType } from "../../apimachinery/types/smd-type.ts";
import { smdFromJsonSchema } from "./smd-from-json-schema.ts";

export const type = smdFromJsonSchema(
  {
    properties: {
      n: { type: "integer" },
      s: { type: "string" },
      b: { type: "boolean" },
      set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      list: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name", "kind"],
        items: {
          type: "object",
          properties: {
            name: { type: "string" },
            kind: { type: "string", default: "k" },
            v: { type: "integer" },
          },
        },
      },
      two: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a", "b"],
        items: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
      },
      atoms: { type: "array", items: { type: "object", properties: { x: { type: "string" } } } },
      atomic: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: { x: { type: "integer" } },
      },
      map: { type: "object", additionalProperties: { type: "string" } },
      struct: { type: "object", properties: { x: { type: "string" }, y: { type: "string" } } },
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      either: { "x-kubernetes-int-or-string": true },
    },
  },
  { objectMeta: deducedType },
);
