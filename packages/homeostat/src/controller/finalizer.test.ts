import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { ApiStatusError, isForbidden, isNotFound } from "../api/status.ts";
import type { Client } from "../client/client.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { addFinalizer, hasFinalizer, ourFinalizers, removeFinalizer } from "./finalizer.ts";

const names = {
  manager: "op/box",
  managers: ["op/box"],
  finalizer: "example.com/op.box",
  formerFinalizer: "example.com/box",
};

function box(finalizers: readonly string[], manager: string): KubeObject {
  const written = Object.fromEntries(finalizers.map((one) => [`v:${JSON.stringify(one)}`, {}]));
  const fieldsV1 = { "f:metadata": { "f:finalizers": { ".": {}, ...written } } };
  const managedFields = [{ manager, operation: "Update", fieldsV1 }];
  return { metadata: { name: "a", finalizers, managedFields } } as unknown as KubeObject;
}

it("a former finalizer is ours if our manager wrote it", () => {
  const both = ["example.com/box", "other.example.com/box", "example.com/op.box"];
  assert.deepEqual(ourFinalizers(box(both, "op/box"), names), [both[0], both[2]]);
  assert.deepEqual(ourFinalizers(box(both, "another"), names), [both[2]]);
});

it("an object has the finalizer when it carries no former one of ours", () => {
  const has = (finalizers: readonly string[], manager = "op/box"): boolean =>
    hasFinalizer(box(finalizers, manager), names);
  assert.equal(has(["example.com/op.box"]), true);
  assert.equal(has(["example.com/box"]), false);
  assert.equal(has(["example.com/box", "example.com/op.box"]), false);
  assert.equal(has(["example.com/box", "example.com/op.box"], "another"), true);
});

describe("the patch of finalizers", () => {
  const kind = { apiVersion: "x/v1", kind: "Box", resource: "boxes", scope: "Namespaced" } as Kind;
  const boxOf = (uid: string, resourceVersion: string, finalizers: readonly string[]) =>
    ({ metadata: { name: "a", namespace: "n", uid, resourceVersion, finalizers } }) as KubeObject;
  const refused = (code: number, reason: string): ApiStatusError =>
    new ApiStatusError({ kind: "Status", apiVersion: "v1", code, reason } as never);

  /** A server that refuses the first patch and then has `live`. */
  function refusing(error: Error | undefined, live: KubeObject | undefined) {
    const bodies: unknown[] = [];
    const client = {
      find: async () => live,
      async patch(_kind: Kind, _key: unknown, { body }: { readonly body: unknown }) {
        if (bodies.push(body) === 1 && error) throw error;
        return live;
      },
    } as unknown as Client;
    return { dependencies: { client, kind, names, runtime: createVirtualRuntime() }, bodies };
  }

  it("names the revision and the uid that it was made from", async () => {
    const { dependencies, bodies } = refusing(undefined, undefined);
    await addFinalizer(dependencies, boxOf("u", "7", ["other"]));
    await removeFinalizer(dependencies, boxOf("u", "8", ["other", names.finalizer]));
    await removeFinalizer(dependencies, boxOf("u", "9", [names.finalizer]));
    const metadata = { uid: "u", resourceVersion: "7", finalizers: ["other", names.finalizer] };
    assert.deepEqual(bodies, [
      { metadata },
      { metadata: { ...metadata, resourceVersion: "8", finalizers: ["other"] } },
      { metadata: { ...metadata, resourceVersion: "9", finalizers: null } },
    ]);
  });

  it("a 404 is the object's end only if the object is gone or replaced", async () => {
    const object = boxOf("u", "7", []);
    for (const live of [undefined, boxOf("another", "9", [])]) {
      const { dependencies } = refusing(refused(404, "NotFound"), live);
      assert.equal(await addFinalizer(dependencies, object), undefined);
    }
    const { dependencies } = refusing(refused(404, "NotFound"), object);
    await assert.rejects(addFinalizer(dependencies, object), isNotFound);
    const gone = refusing(refused(403, "Forbidden"), undefined);
    await assert.rejects(addFinalizer(gone.dependencies, object), isForbidden);
  });

  it("reads the object again after a conflict, and adds nothing to one in deletion", async () => {
    const object = boxOf("u", "7", []);
    const after = async (live: KubeObject | undefined) => {
      const { dependencies, bodies } = refusing(refused(409, "Conflict"), live);
      const added = addFinalizer(dependencies, object);
      await dependencies.runtime.advance(100);
      await added;
      return bodies.slice(1);
    };
    assert.deepEqual(await after(boxOf("u", "9", ["other"])), [
      { metadata: { uid: "u", resourceVersion: "9", finalizers: ["other", names.finalizer] } },
    ]);
    assert.deepEqual(await after(undefined), []);
    assert.deepEqual(await after(boxOf("another", "9", [])), []);
    const deleted = boxOf("u", "9", ["other"]);
    Object.assign(deleted.metadata, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    assert.deepEqual(await after(deleted), []);
  });

  it("removes nothing where it has nothing", async () => {
    const { dependencies, bodies } = refusing(undefined, undefined);
    await removeFinalizer(dependencies, boxOf("u", "7", ["other"]));
    assert.deepEqual(bodies, []);
  });
});
