// Adds an empty `status` to objects of our own resources that have none, because their types
// promise one. The addition is removed on writes, so that reading and replacing an object changes
// nothing.
import type { JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";

const filledIn = Symbol("filled in");

/** True for our own resources: their types promise a status. */
export function promisesStatus(kind: Kind): boolean {
  return (kind as { readonly definition?: unknown }).definition !== undefined;
}

/**
 * The object, or a shallow copy with an empty status if its type promises one. Other kinds, a Scale
 * or a Status stay as they are.
 */
export function readable<O>(kind: Kind, object: O): O {
  if (!promisesStatus(kind) || typeof object !== "object" || object === null) return object;
  const {
    kind: name,
    apiVersion,
    status,
  } = object as {
    readonly kind?: unknown;
    readonly apiVersion?: unknown;
    readonly status?: unknown;
  };
  // A server may answer null for an empty status.
  const hasStatus = status !== undefined && status !== null;
  return hasStatus || name !== kind.kind || apiVersion !== kind.apiVersion
    ? object
    : { ...object, status: emptyStatus() };
}

/** An added status. */
export function emptyStatus(): object {
  return Object.defineProperty({}, filledIn, { value: true });
}

/** The body without an added status that is still empty. */
export function writable(body: JsonObject): JsonObject {
  const { status, ...rest } = body;
  return typeof status === "object" &&
    status !== null &&
    filledIn in status &&
    Object.keys(status).length === 0
    ? rest
    : body;
}
