// Query and path parameters of operations by kind of action. Parameters that all operations of a
// path share are listed at the path.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go (AddObjectParams),
// k8s.io/kube-openapi/pkg/builder3.
import type { JsonObject } from "homeostat/api";

const types = {
  allowWatchBookmarks: "boolean",
  continue: "string",
  dryRun: "string",
  fieldManager: "string",
  fieldSelector: "string",
  fieldValidation: "string",
  force: "boolean",
  gracePeriodSeconds: "integer",
  ignoreStoreReadErrorWithClusterBreakingPotential: "boolean",
  labelSelector: "string",
  limit: "integer",
  orphanDependents: "boolean",
  pretty: "string",
  propagationPolicy: "string",
  resourceVersion: "string",
  resourceVersionMatch: "string",
  sendInitialEvents: "boolean",
  shardSelector: "string",
  timeoutSeconds: "integer",
  watch: "boolean",
} as const;

/** A parameter's name; `name` and `namespace` are parts of the path. */
export type ParameterName = keyof typeof types | "name" | "namespace";

const selecting = [
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "shardSelector",
  "timeoutSeconds",
] as const;
const deleting = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
] as const;

export const listParameters: readonly ParameterName[] = [
  "allowWatchBookmarks",
  ...selecting,
  "watch",
];
export const deleteParameters: readonly ParameterName[] = deleting;
export const deleteCollectionParameters: readonly ParameterName[] = [...selecting, ...deleting];
export const writeParameters: readonly ParameterName[] = [
  "dryRun",
  "fieldManager",
  "fieldValidation",
];
export const patchParameters: readonly ParameterName[] = [...writeParameters, "force"];

/** An operation and the parameters that it takes. */
export interface Operation {
  readonly method: "get" | "put" | "post" | "delete" | "patch";
  readonly parameters: readonly ParameterName[];
  readonly body: JsonObject;
}

/** A path item: operations, with shared parameters lifted out. */
export function pathItem(operations: readonly Operation[]): JsonObject {
  const shared = new Set(
    operations[0]?.parameters.filter((name) =>
      operations.every((operation) => operation.parameters.includes(name)),
    ),
  );
  const item: JsonObject = {};
  for (const { method, parameters, body } of operations) {
    const own = parameters.filter((name) => !shared.has(name));
    item[method] = { ...body, ...(own.length ? { parameters: render(own) } : {}) };
  }
  if (shared.size) item.parameters = render([...shared]);
  return item;
}

function render(names: readonly ParameterName[]): JsonObject[] {
  return [...names]
    .sort()
    .map((name) =>
      name === "name" || name === "namespace"
        ? { name, in: "path", required: true, schema: { type: "string", uniqueItems: true } }
        : { name, in: "query", schema: { type: types[name], uniqueItems: true } },
    );
}
