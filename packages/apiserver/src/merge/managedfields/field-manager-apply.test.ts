import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json, JsonObject, Status } from "homeostat/api";
import { apply, fields, managerOf, owners, times, update } from "./field-manager.suite.ts";
import { apiVersion, at, empty, intent, kind, stored } from "./thing.suite.ts";
import { refusal } from "../refusal.suite.ts";
import { managedFieldsOf } from "./managed-fields.ts";

describe("apply", () => {
  test("owns the fields that it names, except identity", () => {
    assert.deepEqual(managedFieldsOf(apply(undefined, { a: "1", set: ["x"] }, "ann")), [
      {
        manager: "ann",
        operation: "Apply",
        apiVersion,
        time: at(0),
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:a": {}, "f:set": { 'v:"x"': {} } } },
      },
    ]);
  });

  test("removes fields that its manager omits, and keeps those of others", () => {
    const first = apply(undefined, { a: "1", b: "1", set: ["x", "y"] }, "ann");
    const shared = apply(first, { b: "1", set: ["y"] }, "bob");
    const left = apply(shared, { set: ["x"] }, "ann");
    assert.deepEqual(left["spec"], { b: "1", set: ["x", "y"] });
    assert.deepEqual(owners(left), [
      'bob Apply: .spec.b .spec.set[="y"]',
      'ann Apply: .spec.set[="x"]',
    ]);
  });

  test("shares equal values, and conflicts on different ones", () => {
    const live = apply(apply(undefined, { a: "1" }, "ann"), { a: "1" }, "bob");
    assert.deepEqual(owners(live), ["bob Apply: .spec.a", "ann Apply: .spec.a"]);
    const status = refusal(() => apply(live, { a: "2" }, "cat"));
    assert.equal(status.code, 409);
    assert.equal(status.reason, "Conflict");
    assert.equal(
      status.message,
      'Apply failed with 2 conflicts: conflicts with "ann":\n- .spec.a\nconflicts with "bob":\n- .spec.a',
    );
    assert.deepEqual(status.details, {
      causes: [
        { reason: "FieldManagerConflict", message: 'conflict with "ann"', field: ".spec.a" },
        { reason: "FieldManagerConflict", message: 'conflict with "bob"', field: ".spec.a" },
      ],
    });
  });

  test("names version and subresource of updaters in conflicts", () => {
    const live = update(undefined, { a: "1" }, "ann");
    assert.equal(
      refusal(() => apply(live, { a: "2" }, "cat")).message,
      `Apply failed with 1 conflict: conflict with "ann" using ${apiVersion}: .spec.a`,
    );
    const byStatus = managerOf({ subresource: "status" });
    const withStatus = byStatus.update(
      stored(live),
      { ...stored(live), status: { phase: "x" } },
      "kubelet",
      at(1),
    );
    assert.equal(
      refusal(() =>
        fields.apply(
          withStatus,
          { ...intent({}), status: { phase: "y" } },
          { manager: "cat", force: false, now: at(1) },
        ),
      ).message,
      `Apply failed with 1 conflict: conflict with "kubelet" with subresource "status" using ${apiVersion}: .status.phase`,
    );
  });

  test("with force takes the field, and an owner of nothing is gone", () => {
    const taken = apply(apply(undefined, { a: "1" }, "ann"), { a: "2" }, "bob", { force: true });
    assert.deepEqual(taken["spec"], { a: "2" });
    assert.deepEqual(owners(taken), ["bob Apply: .spec.a"]);
  });

  test("without changes keeps the times and adds a new manager", () => {
    const first = apply(undefined, { a: "1" }, "ann");
    assert.deepEqual(times(apply(first, { a: "1" }, "ann", { second: 5 })), [at(0)]);
    assert.deepEqual(times(apply(first, { a: "1" }, "bob", { second: 5 })), [null, at(0)]);
  });

  test("of an object without managers enters the rest as before-first-apply", () => {
    const live = stored(intent({ a: "1", b: "1" }));
    assert.deepEqual(owners(apply(live, { b: "1" }, "ann")), [
      "ann Apply: .spec.b",
      "before-first-apply Update: .spec .spec.a .spec.b",
    ]);
    assert.match(
      refusal(() => apply(live, { a: "2" }, "ann")).message!,
      /conflict with "before-first-apply" using smd\.homeostat\.dev\/v1: \.spec\.a$/,
    );
  });

  test("a map that loses its last item becomes null, unless it goes as a whole", () => {
    const first = apply(undefined, { map: { x: "1" } }, "ann");
    assert.deepEqual(apply(first, {}, "ann")["spec"], null);
    const held = update(first, { map: { x: "1" }, b: "1" }, "bob");
    assert.deepEqual(apply(held, {}, "ann")["spec"], { b: "1" });
  });

  test("refuses bodies of another kind, managedFields and what the schema does not know", () => {
    const send = (body: JsonObject): Status =>
      refusal(() => fields.apply(empty(), body, { manager: "ann", force: false, now: at(0) }));
    assert.deepEqual(
      [send({ ...intent({}), kind: "Other" })].map(({ code, message }) => [code, message]),
      [[400, "invalid object type: smd.homeostat.dev/v1, Kind=Other"]],
    );
    assert.equal(send({ kind, metadata: {} }).message, "invalid object type: /, Kind=Thing");
    assert.equal(
      send({ ...intent({}), apiVersion: "v1" }).message,
      "invalid object type: /v1, Kind=Thing",
    );
    assert.equal(
      send(intent({}, { managedFields: [] })).message,
      "metadata.managedFields must be nil",
    );
    const unknown = send(intent({ zzz: 1 }));
    assert.deepEqual(
      [unknown.code, unknown.reason, unknown.message],
      [
        500,
        undefined,
        "failed to create typed patch object (/t; smd.homeostat.dev/v1, Kind=Thing): .spec.zzz: field not declared in schema",
      ],
    );
    assert.doesNotThrow(() =>
      fields.apply(
        empty(),
        { ...intent({}), metadata: { name: "t", managedFields: null } },
        { manager: "ann", force: false, now: at(0) },
      ),
    );
  });

  test("reports a failure to decode the merged object as upstream does", () => {
    const strict = managerOf({
      complete: () => {
        throw new Error("unable to convert: no");
      },
    });
    assert.equal(
      refusal(() => apply(undefined, { a: "1" }, "ann", { by: strict })).message,
      "failed to convert new object (/t; smd.homeostat.dev/v1, Kind=Thing) to proper version: unable to convert: no",
    );
  });
});

describe("client-side apply", () => {
  const annotated = (spec: Json, noted: Json): JsonObject => {
    const object = intent(spec, {
      annotations: {
        "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(intent(noted)),
      },
    });
    return stored(fields.update(empty(), object, "kubectl-client-side-apply", at(0)));
  };
  const send = (live: JsonObject, spec: Json, manager: string): JsonObject =>
    fields.apply(live, intent(spec), { manager, force: false, now: at(1) });

  test("kubectl may change fields that it applied before, unless others have changed them since", () => {
    const live = annotated({ a: "1", b: "1" }, { a: "1", b: "0" });
    assert.equal((send(live, { a: "2" }, "kubectl")["spec"] as JsonObject)["a"], "2");
    assert.match(
      refusal(() => send(live, { a: "2", b: "2" }, "kubectl")).message!,
      /with 1 conflict: .*: \.spec\.b$/,
    );
    assert.equal(refusal(() => send(live, { a: "2" }, "other")).code, 409);
  });

  test("kubectl renews the annotation from its intent, others leave it", () => {
    const live = annotated({ a: "1" }, { a: "1" });
    const note = (object: JsonObject): Json =>
      ((object["metadata"] as JsonObject)["annotations"] as JsonObject)[
        "kubectl.kubernetes.io/last-applied-configuration"
      ]!;
    assert.equal(
      note(send(live, { a: "2" }, "kubectl")),
      `{"apiVersion":"${apiVersion}","kind":"Thing","metadata":{"name":"t"},"spec":{"a":"2"}}\n`,
    );
    assert.equal(note(send(live, { a: "1" }, "other")), note(live));
  });
});
