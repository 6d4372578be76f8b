// A JSON patch whose paths and values the compiler checks.
// Upstream: RFC 6902.
import { assertKind } from "../../api/check-kind.ts";
import type { Kind, ObjectOf } from "../../api/kind.ts";
import { argumentError } from "../../util/argument-error.ts";
import type { JsonPatchOperation, Patch } from "../client.ts";
import { toPointer } from "./json-pointer.ts";
import type { PatchPreconditions, Place } from "./patch-fields.ts";
import { checkPreconditions } from "./preconditions.ts";

/** Names a field of an object, e.g. `(object) => object.spec.replicas`. */
export type PlaceIn<O, T> = (object: Place<O>) => Place<T> | undefined;

/** A JSON patch; each method returns a longer one. A path may also be a pointer, as text. */
export interface JsonPatch<K extends Kind> {
  readonly type: "json";
  readonly body: readonly JsonPatchOperation[];
  /** Sets a field, or inserts an item before the one that is named. */
  add<T>(path: PlaceIn<ObjectOf<K>, T> | string, value: NoInfer<T>): JsonPatch<K>;
  /** Adds an item at the end of a list, which must exist. */
  append<T>(path: PlaceIn<ObjectOf<K>, readonly T[]> | string, item: NoInfer<T>): JsonPatch<K>;
  /** Sets a field that must exist. */
  replace<T>(path: PlaceIn<ObjectOf<K>, T> | string, value: NoInfer<T>): JsonPatch<K>;
  /** Removes a field that must exist. */
  remove(path: PlaceIn<ObjectOf<K>, unknown> | string): JsonPatch<K>;
  /** Refuses the patch unless the field has that value. */
  test<T>(path: PlaceIn<ObjectOf<K>, T> | string, value: NoInfer<T>): JsonPatch<K>;
  move<T>(
    from: PlaceIn<ObjectOf<K>, T> | string,
    to: PlaceIn<ObjectOf<K>, T> | string,
  ): JsonPatch<K>;
  copy<T>(
    from: PlaceIn<ObjectOf<K>, T> | string,
    to: PlaceIn<ObjectOf<K>, T> | string,
  ): JsonPatch<K>;
}

/**
 * Begins a JSON patch of a kind's objects. With preconditions, the server answers Conflict if the
 * object has changed, and Invalid if it is another one.
 *
 * @throws ERR_KIND_ARGUMENT, ERR_ARGUMENT
 */
export function jsonPatch<K extends Kind>(
  kind: K,
  preconditions: PatchPreconditions = {},
): JsonPatch<K> {
  assertKind(kind, "jsonPatch(…)");
  const given = checkPreconditions("jsonPatch(…)", preconditions);
  return new Operations<K>(
    Object.entries(given).map(([name, value]) => ({
      op: "add",
      path: `/metadata/${name}`,
      value,
    })),
  );
}

class Operations<K extends Kind> implements JsonPatch<K> {
  readonly type = "json" satisfies Patch["type"];
  readonly body: readonly JsonPatchOperation[];

  constructor(body: readonly JsonPatchOperation[]) {
    this.body = body;
  }

  add(path: unknown, value: unknown): JsonPatch<K> {
    return this.#with({ op: "add", path: toPointer("add(…)", path), value });
  }

  append(path: unknown, value: unknown): JsonPatch<K> {
    return this.#with({ op: "add", path: `${toPointer("append(…)", path)}/-`, value });
  }

  replace(path: unknown, value: unknown): JsonPatch<K> {
    return this.#with({ op: "replace", path: toPointer("replace(…)", path), value });
  }

  remove(path: unknown): JsonPatch<K> {
    return this.#with({ op: "remove", path: toPointer("remove(…)", path) });
  }

  test(path: unknown, value: unknown): JsonPatch<K> {
    return this.#with({ op: "test", path: toPointer("test(…)", path), value });
  }

  move(from: unknown, to: unknown): JsonPatch<K> {
    const path = toPointer("move(…)", to);
    return this.#with({ op: "move", from: toPointer("move(…)", from), path });
  }

  copy(from: unknown, to: unknown): JsonPatch<K> {
    const path = toPointer("copy(…)", to);
    return this.#with({ op: "copy", from: toPointer("copy(…)", from), path });
  }

  #with(operation: JsonPatchOperation): JsonPatch<K> {
    if ("value" in operation && operation.value === undefined)
      throw argumentError(`${operation.op}(…)`, undefined, "a value, which may be null");
    return new Operations<K>([...this.body, operation]);
  }
}
