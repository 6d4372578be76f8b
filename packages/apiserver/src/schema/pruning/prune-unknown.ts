// Removes fields that a schema does not specify, in place. Below nodes that preserve unknown
// fields, pruning resumes under specified properties; `additionalProperties: true` keeps values but
// prunes all fields of objects among them.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go,
// schema/options.go.
import { compareBytewise, type Json, type JsonObject } from "homeostat/api";
import type { SchemaNode } from "../schema-node.ts";

/** Collects the paths of removed fields. */
interface Trace {
  readonly path: (string | number)[];
  readonly removed: string[];
}

const isMetaField = (key: string): boolean =>
  key === "apiVersion" || key === "kind" || key === "metadata";

/** Prunes a value in place. */
export function pruneUnknown(value: Json, node: SchemaNode): void {
  prune(value, node, node.embedded, undefined);
}

/**
 * Prunes a whole object in place, except its type and object metadata. Returns the removed paths,
 * sorted, e.g. `spec.ports[0].nmae`.
 */
export function pruneResource(object: JsonObject, node: SchemaNode | undefined): readonly string[] {
  const trace: Trace = { path: [], removed: [] };
  prune(object, node, true, trace);
  return trace.removed.length > 1 ? trace.removed.sort(compareBytewise) : trace.removed;
}

/** `embedded` is the node's own flag, or true at the root of a resource. */
function prune(
  value: Json,
  node: SchemaNode | undefined,
  embedded: boolean,
  trace: Trace | undefined,
): void {
  if (typeof value !== "object" || value === null) return;
  if (node?.preserve) return skip(value, node, embedded, trace);
  if (Array.isArray(value))
    return eachItem(value, trace, (item) =>
      prune(item, node?.items, node?.items?.embedded === true, trace),
    );
  for (const key in value) {
    if (embedded && isMetaField(key)) continue;
    const child = node?.properties?.get(key);
    if (child) enter(value[key]!, child, key, trace);
    else if (node?.hasAdditional) enter(value[key]!, node.additional, key, trace);
    else {
      // At the root, type and object metadata are never reported.
      if (trace && (!isMetaField(key) || trace.path.length > 0))
        trace.removed.push(formatTrace(trace.path, key));
      delete value[key];
    }
  }
}

/** Below a node that preserves unknown fields, only specified properties are pruned further. */
function skip(
  value: Json,
  node: SchemaNode | undefined,
  embedded: boolean,
  trace: Trace | undefined,
): void {
  if (typeof value !== "object" || value === null || !node) return;
  if (Array.isArray(value))
    return eachItem(value, trace, (item) =>
      skip(item, node.items, node.items?.embedded === true, trace),
    );
  if (!node.properties && !node.hasAdditional) return;
  for (const key in value) {
    if (embedded && isMetaField(key)) continue;
    const child = node.properties?.get(key);
    if (child) enter(value[key]!, child, key, trace);
    else if (node.hasAdditional) enter(value[key]!, node.additional, key, trace);
  }
}

function enter(
  value: Json,
  node: SchemaNode | undefined,
  key: string,
  trace: Trace | undefined,
): void {
  if (typeof value !== "object" || value === null) return;
  trace?.path.push(key);
  prune(value, node, node?.embedded === true, trace);
  trace?.path.pop();
}

function eachItem(
  items: readonly Json[],
  trace: Trace | undefined,
  visit: (item: Json) => void,
): void {
  for (let i = 0; i < items.length; i++) {
    trace?.path.push(i);
    visit(items[i]!);
    trace?.path.pop();
  }
}

function formatTrace(path: readonly (string | number)[], key: string): string {
  let out = "";
  for (const segment of [...path, key]) {
    if (typeof segment === "number") out += `[${segment}]`;
    else out += out ? `.${segment}` : segment;
  }
  return out;
}
