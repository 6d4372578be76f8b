// The object in a context: as read from the cache, and the read of its status is noticed.
import type { KubeObject } from "../../api/object-meta.ts";

/** A shallow copy of `object` that calls `read` when its status is read. */
export function observeStatus<O extends KubeObject>(object: O, read: () => void): O {
  if (!("status" in object)) return object;
  const copy: Record<string | symbol, unknown> = {};
  Object.defineProperty(copy, observed, { value: new Observed(object.status, read) });
  for (const name in object)
    if (name === "status") Object.defineProperty(copy, name, status);
    else if (name === "__proto__") defineField(copy, name, object[name]);
    else copy[name] = object[name];
  return (Object.isFrozen(object) ? Object.freeze(copy) : copy) as O;
}

/** An assignment would set the prototype. */
function defineField(copy: object, name: string, value: unknown): void {
  Object.defineProperty(copy, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** Where a copy has its status. Symbols that are not enumerable are no part of a comparison. */
const observed = Symbol("observed status");

class Observed {
  readonly #status: unknown;
  readonly #read: () => void;

  constructor(given: unknown, read: () => void) {
    this.#status = given;
    this.#read = read;
  }

  read(): unknown {
    this.#read();
    return this.#status;
  }
}

/** Shared by all copies: V8 gives an object with a getter of its own a dictionary. */
const status: PropertyDescriptor & ThisType<Record<symbol, Observed>> = {
  enumerable: true,
  get() {
    return this[observed]!.read();
  },
};
