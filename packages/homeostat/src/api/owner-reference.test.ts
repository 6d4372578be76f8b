// Owner references and orderings of names and revisions: small pure things that much hangs on.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keyOf, parseObjectKey } from "./object-meta.ts";
import {
  controllerOf,
  isControlledBy,
  toControllerReference,
  toOwnerReference,
} from "./owner-reference.ts";
import { compareResourceVersions } from "./resource-version.ts";

const owner = {
  apiVersion: "kitchen.example.com/v1",
  kind: "Order",
  metadata: { name: "o1", uid: "u1" },
};

describe("owner references", () => {
  it("name the owner and the controller", () => {
    const controlling = toControllerReference(owner);
    assert.deepEqual(controlling, {
      apiVersion: "kitchen.example.com/v1",
      kind: "Order",
      name: "o1",
      uid: "u1",
      controller: true,
      blockOwnerDeletion: true,
    });
    const object = {
      metadata: {
        ownerReferences: [
          toOwnerReference({ ...owner, metadata: { name: "o2", uid: "u2" } }),
          controlling,
        ],
      },
    };
    assert.equal(controllerOf(object), controlling);
    assert.equal(isControlledBy(object, owner), true);
    assert.equal(
      isControlledBy(object, { ...owner, metadata: { name: "o1", uid: "namesake" } }),
      false,
    );
    assert.equal(controllerOf({ metadata: {} }), undefined);
  });
});

describe("keys", () => {
  it("are parsed as they are formatted", () => {
    assert.deepEqual(
      [parseObjectKey("a/b"), parseObjectKey("b")],
      [{ namespace: "a", name: "b" }, { name: "b" }],
    );
    assert.deepEqual(keyOf({ metadata: { name: "b" } }), { name: "b" });
  });
});

describe("compareResourceVersions", () => {
  it("orders integers of any length and nothing else", () => {
    assert.ok(compareResourceVersions("9", "10")! < 0);
    assert.ok(compareResourceVersions("18446744073709551615", "18446744073709551614")! > 0);
    assert.equal(compareResourceVersions("7", "7"), 0);
    for (const odd of ["", "x", "01", "1.5", "-1"])
      assert.equal(compareResourceVersions(odd, "1"), undefined, odd);
  });
});
