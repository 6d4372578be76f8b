// What users read: `status` is there even before anybody wrote one, because the types of our own
// resources say so. What is filled in here is taken out again on the way back, so that reading and
// replacing an object changes nothing.
import type { JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";

const filledIn = Symbol("filled in");

/** True for resources of ours: their types promise a status. */
export function promisesStatus(kind: Kind): boolean {
  return (kind as { readonly definition?: unknown }).definition !== undefined;
}

/**
 * The object itself, or a shallow copy with an empty status where a resource of ours has none yet.
 * Leaves other kinds, a Scale or a Status, alone.
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
  return status !== undefined || name !== kind.kind || apiVersion !== kind.apiVersion
    ? object
    : { ...object, status: emptyStatus() };
}

/** A status that nobody wrote. */
export function emptyStatus(): object {
  return Object.defineProperty({}, filledIn, { value: true });
}

/** The body without a status that was filled in and that nobody has written to since. */
export function writable(body: JsonObject): JsonObject {
  const { status, ...rest } = body;
  return typeof status === "object" &&
    status !== null &&
    filledIn in status &&
    Object.keys(status).length === 0
    ? rest
    : body;
}
