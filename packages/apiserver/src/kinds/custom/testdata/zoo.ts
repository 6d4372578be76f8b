// Definitions for tests, as they stand stored and established: one of everything that serving has to deal with.
import type { JsonObject } from "homeostat/api";

const group = "zoo.example.com";

const establishedAs = (plural: string, kind: string, spec: JsonObject): JsonObject => {
  const names = {
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    shortNames: [plural.slice(0, 2)],
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, generation: 3 },
    spec: { group, names, ...spec },
    status: { acceptedNames: names, conditions: [{ type: "Established", status: "True" }] },
  };
};

/** Status and scale, printer columns, selectable fields, a CEL-free schema with defaults, sets and maps. */
export const cages = (): JsonObject =>
  establishedAs("cages", "Cage", {
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.bars.count",
            statusReplicasPath: ".status.bars",
            labelSelectorPath: ".status.selector",
          },
        },
        selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.size" }],
        additionalPrinterColumns: [
          { name: "Color", type: "string", jsonPath: ".spec.color" },
          {
            name: "Bars",
            type: "integer",
            jsonPath: ".spec.bars.count",
            priority: 1,
            description: "how many",
          },
          { name: "Opened", type: "date", jsonPath: ".spec.opened" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["color"],
                properties: {
                  color: { type: "string", enum: ["red", "blue"] },
                  size: { type: "integer", default: 1, maximum: 9 },
                  opened: { type: "string" },
                  bars: { type: "object", properties: { count: { type: "integer" } } },
                  tags: {
                    type: "array",
                    "x-kubernetes-list-type": "set",
                    items: { type: "string" },
                  },
                  door: { "x-kubernetes-int-or-string": true },
                  guest: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                },
              },
              status: {
                type: "object",
                properties: {
                  bars: { type: "integer" },
                  selector: { type: "string" },
                  phase: { type: "string", maxLength: 4 },
                },
              },
            },
          },
        },
      },
    ],
  });

/** Cluster-scoped, three versions, each with a field that the others lack; v1alpha1 is deprecated, v2 is stored. */
export const beasts = (): JsonObject => {
  const version = (name: string, field: string, more: JsonObject): JsonObject => ({
    name,
    served: true,
    storage: false,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: {
              name: { type: "string" },
              [field]: { type: "string", default: `${name} default` },
            },
          },
        },
      },
    },
    ...more,
  });
  return establishedAs("beasts", "Beast", {
    scope: "Cluster",
    versions: [
      version("v1alpha1", "tail", { deprecated: true }),
      version("v1", "fur", {}),
      version("v2", "horn", { storage: true }),
    ],
  });
};
