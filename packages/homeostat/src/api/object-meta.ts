// The shape that all API objects share, for code that handles any kind.
import type { Metadata } from "./kind.ts";
import { argumentError } from "../util/argument-error.ts";
import { checkArgument } from "../util/call-options.ts";
import { isOptions } from "../util/option-faults.ts";

/** An object of any kind, as read. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

/** Name, and namespace unless the kind is cluster-scoped. */
export interface ObjectKey {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** The key of an object that was read. */
export function keyOf(object: {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}): ObjectKey {
  if (!isOptions(object?.metadata))
    throw argumentError("keyOf(…)", object, "an object with metadata");
  const { name, namespace } = object.metadata;
  return namespace === undefined ? { name } : { name, namespace };
}

/** Parses `namespace/name` or `name`, the inverse of `formatObjectKey`. */
export function parseObjectKey(key: string): ObjectKey {
  checkArgument("parseObjectKey(…)", ["its argument", key], "a string");
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
