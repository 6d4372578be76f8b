// Who applies a shared object: two reconciled objects that apply one object under one field manager
// remove each other's fields, because an apply states everything that its manager wants.
import type { JsonObject } from "../../api/json.ts";
import { fingerprint } from "../own/as-stored.ts";

/** Shared objects remembered; of others a second applier is not noticed. */
const remembered = 10_000;

/** One apply of a shared object. */
export interface SharedApply {
  /** The applied object, e.g. `ConfigMap kitchen/menu`. */
  readonly target: string;
  /** The field manager. */
  readonly manager: string;
  /** The key of the reconciled object. */
  readonly by: string;
  readonly manifest: JsonObject;
}

/** The latest applies of a controller, by object and field manager. */
export class SharedApplies {
  readonly #latest = new Map<string, { readonly by: string; readonly manifest: string }>();

  /**
   * Records an apply. Returns the key of another reconciled object that applied something else
   * before and still exists.
   */
  record(
    { target, manager, by, manifest }: SharedApply,
    exists: (key: string) => boolean,
  ): string | undefined {
    const id = `${target} ${manager}`;
    const now = { by, manifest: fingerprint(manifest) };
    const before = this.#latest.get(id);
    this.#latest.delete(id);
    this.#latest.set(id, now);
    if (this.#latest.size > remembered) this.#latest.delete(this.#latest.keys().next().value!);
    if (!before || before.by === by || before.manifest === now.manifest) return undefined;
    return exists(before.by) ? before.by : undefined;
  }
}
