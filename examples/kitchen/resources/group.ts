// The API group and version that all kinds of the kitchen share.

/** Spread into every `defineResource` of the kitchen. */
export const api = {
  group: "kitchen.example.com",
  version: "v1",
  categories: ["kitchen"],
} as const;
