// Prunes nulls and applies defaults, in place. Callers first prune nulls that are neither nullable
// nor have a default (in objects; list items stay), then apply defaults to absent and null fields.
// Defaults inside a default apply as well.
// Upstream:
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/{prunenulls,algorithm}.go.
import { cloneJson, type Json, type JsonObject, setOwn } from "homeostat/api";
import type { SchemaNode } from "../schema-node.ts";

/** Drops nulls that are neither nullable nor replaced by a default. */
export function pruneNulls(value: Json, node: SchemaNode | undefined): void {
  if (typeof value !== "object" || value === null || !node) return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) pruneNulls(value[i]!, node.items);
    return;
  }
  for (const key in value) {
    const child = node.properties?.get(key) ?? node.additional;
    const held = value[key]!;
    if (held !== null) pruneNulls(held, child);
    else if (child && !child.nullable && child.default === undefined) delete value[key];
  }
}

/** Applies defaults in place. */
export function applyDefaults(value: Json, node: SchemaNode | undefined): void {
  if (typeof value !== "object" || value === null || !node?.hasDefaults) return;
  if (Array.isArray(value)) applyToItems(value, node.items);
  else applyToObject(value, node);
}

function applyToObject(object: JsonObject, node: SchemaNode): void {
  const { propertyNames, propertyNodes, additional } = node;
  for (let i = 0; i < propertyNames.length; i++) {
    const child = propertyNodes[i]!;
    if (!child.hasDefaults) continue;
    const name = propertyNames[i]!;
    const found = Object.hasOwn(object, name);
    if (child.default !== undefined && (!found || (object[name] === null && !child.nullable)))
      setOwn(object, name, cloneJson(child.default));
    else if (!found) continue;
    applyDefaults(object[name]!, child);
  }
  if (!additional?.hasDefaults) return;
  for (const key in object) {
    if (node.properties?.has(key)) continue;
    if (object[key] === null && !additional.nullable && additional.default !== undefined)
      object[key] = cloneJson(additional.default);
    applyDefaults(object[key]!, additional);
  }
}

function applyToItems(items: Json[], node: SchemaNode | undefined): void {
  if (!node?.hasDefaults) return;
  for (let i = 0; i < items.length; i++) {
    if (items[i] === null && !node.nullable && node.default !== undefined)
      items[i] = cloneJson(node.default);
    applyDefaults(items[i]!, node);
  }
}
