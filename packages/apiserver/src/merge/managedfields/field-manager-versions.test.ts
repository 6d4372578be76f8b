import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type JsonObject } from "homeostat/api";
import { deducedType } from "../../apimachinery/types/smd-type.ts";
import { MergeError } from "../fieldpath/merge-error.ts";
import { smdFromJsonSchema } from "../typed/smd-from-json-schema.ts";
import type { FieldManagerOptions } from "./field-manager-options.ts";
import { apply, managerOf, owners, update } from "./field-manager.suite.ts";
import { apiVersion, at, intent, kind, stored, type } from "./thing.suite.ts";
import { refusal } from "../refusal.suite.ts";
import { managedFieldsOf } from "./managed-fields.ts";

describe("versions", () => {
  const other = "smd.homeostat.dev/v2";
  const rename = (object: JsonObject, to: string): JsonObject => {
    const { a, c, ...rest } = (object["spec"] ?? {}) as JsonObject;
    return {
      ...object,
      apiVersion: to,
      spec: {
        ...rest,
        ...(to === other
          ? { ...((a ?? c) === undefined ? {} : { c: (a ?? c)! }) }
          : { ...((a ?? c) === undefined ? {} : { a: (a ?? c)! }) }),
      },
    };
  };
  const otherType = smdFromJsonSchema(
    {
      type: "object",
      properties: {
        spec: { type: "object", properties: { c: { type: "string" }, b: { type: "string" } } },
      },
    },
    { objectMeta: deducedType },
  );
  const types = new Map([
    [apiVersion, type],
    [other, otherType],
  ]);
  const both: Partial<FieldManagerOptions> = {
    typeOf: (version) => types.get(version),
    convert: rename,
  };
  const v1 = managerOf(both),
    v2 = managerOf({ ...both, version: "v2", empty: () => ({ apiVersion: other, kind }) });

  test("fields are followed in the version that their owner wrote", () => {
    const first = stored(
      v2.apply(
        { apiVersion: other, kind },
        { ...intent({ c: "1" }), apiVersion: other },
        { manager: "ann", force: false, now: at(0) },
      ),
    );
    const live = { ...rename(first, apiVersion) };
    assert.equal(
      refusal(() => apply(live, { a: "2" }, "bob", { by: v1 })).message,
      'Apply failed with 1 conflict: conflict with "ann": .spec.c',
    );
    assert.deepEqual(owners(apply(live, { a: "2" }, "bob", { by: v1, force: true })), [
      "bob Apply: .spec.a",
    ]);
    const moved = apply(live, { b: "1" }, "ann", { by: v1 });
    assert.deepEqual(moved["spec"], { b: "1" });
    assert.deepEqual(owners(moved), ["ann Apply: .spec.b"]);
  });

  test("entries of unknown versions are dropped, or cost all entries", () => {
    const entry = (version: string): JsonObject => ({
      manager: "zed",
      operation: "Update",
      apiVersion: version,
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:a": {} } },
    });
    const live = stored(intent({ a: "1" }));
    const managedFields = [entry("smd.homeostat.dev/v9"), entry(apiVersion)];
    assert.deepEqual(owners(update(live, { a: "1" }, "bob", { managedFields })), [
      "zed Update: .spec.a",
    ]);
    assert.equal(
      managedFieldsOf(
        update(live, { a: "1" }, "bob", {
          managedFields,
          by: managerOf({ unknownVersions: "fail" }),
        }),
      ),
      undefined,
    );
    assert.equal(
      managedFieldsOf(
        update(live, { a: "1" }, "bob", { managedFields: [entry("a/b/c"), entry(apiVersion)] }),
      ),
      undefined,
    );
  });

  test("a custom object that calls itself something else is followed no more", () => {
    const live = apply(stored(intent({})), { a: "1" }, "ann");
    const by = managerOf({ unknownVersions: "fail" });
    assert.notEqual(managedFieldsOf(by.update(live, live, "bob", at(0))), undefined);
    const next = { ...live, kind: "Other" };
    assert.equal(managedFieldsOf(by.update(live, next, "bob", at(0))), undefined);
  });

  test("a failing conversion costs an update its entries and fails an apply", () => {
    const broken = managerOf({
      ...both,
      convert: () => {
        throw new MergeError("conversion webhook failed");
      },
    });
    const entry = {
      manager: "zed",
      operation: "Update",
      apiVersion: other,
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:c": {} } },
    };
    const live = { ...stored(intent({ a: "1" })) };
    (live["metadata"] as JsonObject)["managedFields"] = [entry];
    assert.equal(managedFieldsOf(update(live, { a: "2" }, "bob", { by: broken })), undefined);
    assert.deepEqual(
      refusal(() => apply(live, { a: "1" }, "bob", { by: broken })).message,
      "conversion webhook failed",
    );
  });

  test("what an applier drops is removed although a field of its new version has that name", () => {
    const swap = (object: JsonObject, to: string): JsonObject => {
      const { a, b } = (object["spec"] ?? {}) as JsonObject;
      const spec = { ...(a === undefined ? {} : { b: a }), ...(b === undefined ? {} : { a: b }) };
      return object["apiVersion"] === to ? object : { ...object, apiVersion: to, spec };
    };
    const swapping = { typeOf: () => type, convert: swap };
    const live = apply(undefined, { a: "1" }, "ann", { by: managerOf(swapping) });
    const by = managerOf({
      ...swapping,
      version: "v2",
      empty: () => ({ apiVersion: other, kind }),
    });
    const next = by.apply(
      swap(live, other),
      { ...intent({ a: "2" }), apiVersion: other },
      { manager: "ann", force: false, now: at(1) },
    );
    assert.deepEqual(next["spec"], { a: "2" });
  });

  test("what the version of another owner cannot hold is pruned, even if it is applied again", () => {
    const lossy = (object: JsonObject, to: string): JsonObject => {
      const spec: JsonObject = { ...(object["spec"] as JsonObject) };
      if (to === other) delete spec["a"];
      return { ...object, apiVersion: to, spec };
    };
    const live = stored(intent({ a: "1", b: "2", map: { x: "3" } }));
    const entry = { manager: "zed", operation: "Update", apiVersion: other };
    const own = { manager: "ann", operation: "Apply", apiVersion };
    (live["metadata"] as JsonObject)["managedFields"] = [
      { ...own, fieldsType: "FieldsV1", fieldsV1: { "f:spec": { "f:a": {} } } },
      { ...entry, fieldsType: "FieldsV1", fieldsV1: { "f:spec": { "f:map": {} } } },
    ];
    const by = managerOf({ typeOf: () => type, convert: lossy });
    assert.deepEqual(apply(live, { a: "1" }, "ann", { by })["spec"], { b: "2", map: { x: "3" } });
  });
});
