import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type JsonObject } from "homeostat/api";
import { apply, fields, managerOf, owners, times, update } from "./field-manager.suite.ts";
import { apiVersion, at, intent, kind, stored } from "./thing.suite.ts";
import { managedFieldsOf } from "./managed-fields.ts";

describe("update", () => {
  test("owns what it changes, keeps what it owned, and takes changed fields from others", () => {
    const first = update(undefined, { a: "1", map: { x: "1" } }, "ann");
    assert.deepEqual(owners(first), ["ann Update: .spec .spec.a .spec.map .spec.map.x"]);
    const second = update(first, { a: "2", map: { x: "1", y: "1" } }, "bob", { second: 1 });
    assert.deepEqual(owners(second), [
      "ann Update: .spec .spec.map .spec.map.x",
      "bob Update: .spec.a .spec.map.y",
    ]);
    assert.deepEqual(times(second), [at(0), at(1)]);
  });

  test("moves the time for a new value of an owned field, not for a lost one", () => {
    const first = update(undefined, { a: "1", b: "1" }, "ann");
    assert.deepEqual(times(update(first, { a: "2", b: "1" }, "ann", { second: 7 })), [at(7)]);
    assert.deepEqual(times(update(first, { b: "1" }, "ann", { second: 7 })), [at(0)]);
  });

  test("by the applying manager is an entry of its own", () => {
    const live = update(apply(undefined, { a: "1" }, "ann"), { a: "2" }, "ann", { second: 1 });
    assert.deepEqual(owners(live), ["ann Update: .spec.a"]);
  });

  test("drops removed fields from all managers, and untracks an object without owners", () => {
    const live = apply(undefined, { a: "1" }, "ann");
    const bare = fields.update(
      live,
      { apiVersion, kind, metadata: { name: "t", uid: "u" } },
      "bob",
      at(1),
    );
    assert.equal(managedFieldsOf(bare), undefined);
    assert.equal(managedFieldsOf(update(stored(bare), { a: "5" }, "bob")), undefined);
  });

  test("takes managedFields that the client sends: sound ones, a reset, but no malformed ones", () => {
    const live = update(undefined, { a: "1" }, "ann");
    const entry = {
      manager: "zed",
      operation: "Update",
      apiVersion,
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:a": {} } },
    };
    assert.deepEqual(owners(update(live, { a: "1" }, "bob", { managedFields: [entry] })), [
      "zed Update: .spec.a",
    ]);
    assert.equal(
      managedFieldsOf(update(live, { a: "1" }, "bob", { managedFields: [] })),
      undefined,
    );
    assert.equal(
      managedFieldsOf(update(live, { a: "1" }, "bob", { managedFields: [{}] })),
      undefined,
    );
    for (const bad of [
      { ...entry, operation: "Create" },
      { ...entry, apiVersion: "" },
      { ...entry, fieldsType: "V2" },
      { ...entry, fieldsV1: { bad: {} } },
    ])
      assert.deepEqual(owners(update(live, { a: "1" }, "bob", { managedFields: [entry, bad] })), [
        "ann Update: .spec .spec.a",
      ]);
    assert.deepEqual(owners(update(live, { a: "1" }, "bob", { managedFields: null })), [
      "ann Update: .spec .spec.a",
    ]);
  });

  test("through a subresource ignores managedFields that the client sends, and enters its name", () => {
    const status = managerOf({
      subresource: "status",
      resetFields: new Map([[apiVersion, [["spec"]]]]),
    });
    const live = update(undefined, { a: "1" }, "ann");
    const next = status.update(
      live,
      { ...stored(intent({ a: "9" })), status: { phase: "x" } },
      "kubelet",
      at(1),
    );
    assert.deepEqual(owners(next), [
      "ann Update: .spec .spec.a",
      "kubelet Update status: .status .status.phase",
    ]);
    assert.deepEqual(
      owners(
        status.update(
          live,
          { ...live, metadata: { ...(live["metadata"] as JsonObject), managedFields: [] } },
          "kubelet",
          at(1),
        ),
      ),
      ["ann Update: .spec .spec.a"],
    );
  });

  test("gives up tracking where the object does not fit its type", () => {
    assert.equal(managedFieldsOf(update(undefined, { a: 5 }, "ann")), undefined);
  });

  test("folds the oldest of more than ten updaters into ancient-changes", () => {
    let live = update(undefined, { map: {} }, "m00");
    const map: JsonObject = {};
    for (let i = 1; i <= 12; i++) {
      map[`k${i}`] = "v";
      live = update(live, { map: { ...map } }, `m${String(i).padStart(2, "0")}`, { second: i });
    }
    const names = owners(live).map((text) => text.split(":")[0]);
    assert.equal(names.length, 10);
    assert.deepEqual(names.slice(0, 2), ["ancient-changes Update", "m04 Update"]);
    assert.equal(
      owners(live)[0],
      "ancient-changes Update: .spec .spec.map .spec.map.k1 .spec.map.k2 .spec.map.k3",
    );
    assert.equal(times(live)[0], at(3));
  });

  test("an empty manager is unknown", () => {
    assert.deepEqual(owners(update(undefined, { a: "1" }, "")), ["unknown Update: .spec .spec.a"]);
  });
});
