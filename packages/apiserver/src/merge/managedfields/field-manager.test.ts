import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  cloneJson,
  isApiStatusError,
  type Json,
  type JsonObject,
  type Status,
} from "homeostat/api";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";
import {
  createFieldManager,
  type FieldManager,
  type FieldManagerOptions,
} from "./field-manager.ts";
import { formatFieldPath } from "../fieldpath/field-path.ts";
import { pathsOf } from "../fieldpath/field-set.ts";
import { parseFieldsV1 } from "../fieldpath/fields-v1.ts";
import { managedFieldsOf } from "./managed-fields.ts";
import { MergeError } from "../fieldpath/merge-error.ts";
import { smdFromJsonSchema } from "../typed/smd-from-json-schema.ts";
import { deducedType, type SmdType } from "../../apimachinery/types/smd-type.ts";

const schema: JsonSchemaProps = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string" },
        b: { type: "string" },
        map: { type: "object", additionalProperties: { type: "string" } },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        items: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            properties: { name: { type: "string" }, v: { type: "string" } },
          },
        },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
};
const type = smdFromJsonSchema(schema, { objectMeta: deducedType });
const apiVersion = "smd.homeostat.dev/v1",
  kind = "Thing";
const empty = (): JsonObject => ({ apiVersion, kind });

function managerOf(options: Partial<FieldManagerOptions> = {}): FieldManager {
  return createFieldManager({
    group: "smd.homeostat.dev",
    version: "v1",
    kind,
    subresource: "",
    typeOf: (version): SmdType | undefined => (version === apiVersion ? type : undefined),
    unknownVersions: "drop",
    convert: (object) => object,
    empty,
    complete: (merged) => merged,
    resetFields: new Map(),
    ...options,
  });
}

const fields = managerOf();
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
const intent = (spec: Json, metadata: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: "t", ...metadata },
  spec,
});
const stored = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), uid: "u" },
});
const apply = (
  live: JsonObject | undefined,
  spec: Json,
  manager: string,
  how: { force?: boolean; second?: number; by?: FieldManager } = {},
): JsonObject =>
  stored(
    (how.by ?? fields).apply(live ?? empty(), intent(spec), {
      manager,
      force: how.force ?? false,
      now: at(how.second ?? 0),
    }),
  );
const update = (
  live: JsonObject | undefined,
  spec: Json,
  manager: string,
  how: { second?: number; by?: FieldManager; managedFields?: Json } = {},
): JsonObject => {
  const kept = live ? managedFieldsOf(live) : undefined;
  const sent = "managedFields" in how ? how.managedFields! : (kept as Json[] | undefined);
  return stored(
    (how.by ?? fields).update(
      live ?? empty(),
      {
        ...intent(spec, { uid: "u" }),
        metadata: { name: "t", uid: "u", ...(sent === undefined ? {} : { managedFields: sent }) },
      },
      manager,
      at(how.second ?? 0),
    ),
  );
};

/** `manager Operation[ subresource]: paths`, in the order of the entries. */
const owners = (object: JsonObject): string[] =>
  (managedFieldsOf(object) ?? []).map((entry) => {
    const { manager, operation, subresource, fieldsV1 } = entry as Record<string, Json>;
    return `${String(manager)} ${String(operation)}${subresource ? ` ${String(subresource)}` : ""}: ${[...pathsOf(parseFieldsV1(fieldsV1!))].map(formatFieldPath).join(" ")}`;
  });
const times = (object: JsonObject): Json[] =>
  (managedFieldsOf(object) ?? []).map((entry) => (entry as JsonObject)["time"] ?? null);

function refusal(action: () => unknown): Status {
  try {
    action();
  } catch (error) {
    if (isApiStatusError(error)) return error.status;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("apply", () => {
  test("owns what it names, besides identity", () => {
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

  test("removes what its manager leaves out, and keeps what others own", () => {
    const first = apply(undefined, { a: "1", b: "1", set: ["x", "y"] }, "ann");
    const shared = apply(first, { b: "1", set: ["y"] }, "bob");
    const left = apply(shared, { set: ["x"] }, "ann");
    assert.deepEqual(left["spec"], { b: "1", set: ["x", "y"] });
    assert.deepEqual(owners(left), [
      'bob Apply: .spec.b .spec.set[="y"]',
      'ann Apply: .spec.set[="x"]',
    ]);
  });

  test("shares equal values, and conflicts about different ones", () => {
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

  test("of nothing new keeps the times and adds a newcomer without one", () => {
    const first = apply(undefined, { a: "1" }, "ann");
    assert.deepEqual(times(apply(first, { a: "1" }, "ann", { second: 5 })), [at(0)]);
    assert.deepEqual(times(apply(first, { a: "1" }, "bob", { second: 5 })), [null, at(0)]);
  });

  test("of an object that nobody is tracked on enters the rest as before-first-apply", () => {
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

  test("tells a failure to decode the merged object as upstream does", () => {
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

  test("drops removed fields from everybody, and untracks an object without owners", () => {
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
  const both: Partial<FieldManagerOptions> = {
    typeOf: (version) =>
      version === apiVersion ? type : version === other ? otherType : undefined,
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

  test("kubectl may change what it had applied before and nobody has changed since", () => {
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

describe("properties", () => {
  const word = fc.constantFrom("x", "y", "z");
  const spec = fc.record(
    {
      a: word,
      b: word,
      map: fc.dictionary(word, word, { minKeys: 1 }),
      set: fc.uniqueArray(word, { minLength: 1 }),
      items: fc
        .uniqueArray(word, { minLength: 1 })
        .map((names) => names.map((name) => ({ name, v: "1" }))),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Json>;

  test("an apply is idempotent and mutates nothing", () => {
    fc.assert(
      fc.property(spec, spec, fc.constantFrom("ann", "bob"), (first, second, manager) => {
        const live = apply(undefined, first, "ann"),
          before = cloneJson(live);
        const once = apply(live, second, manager, { force: true });
        assert.deepEqual(live, before);
        const twice = apply(once, second, manager, { force: true, second: 9 });
        assert.deepEqual(twice, once);
      }),
    );
  });

  test("applying more and then less restores the object", () => {
    fc.assert(
      fc.property(spec, spec, (base, more) => {
        const live = apply(undefined, base, "ann");
        const extended = apply(live, more, "bob", { force: true });
        const back = fields.apply(
          extended,
          { apiVersion, kind, metadata: { name: "t" } },
          { manager: "bob", force: true, now: at(2) },
        );
        const left = (back["spec"] ?? {}) as JsonObject;
        // What bob took from ann by force went with him; nothing of his stays.
        for (const entry of owners(back)) assert.ok(!entry.startsWith("bob"));
        for (const [name, value] of Object.entries(left))
          if (value !== null) assert.ok(Object.hasOwn(base as JsonObject, name), name);
      }),
    );
  });

  test("every field of an applied object has an owner, and no owner owns what is absent", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(spec, fc.constantFrom("ann", "bob", "cat")), {
          minLength: 1,
          maxLength: 5,
        }),
        (steps) => {
          let live: JsonObject | undefined;
          for (const [next, manager] of steps) live = apply(live, next, manager, { force: true });
          const owned = new Set(
            owners(live!).flatMap((text) => text.slice(text.indexOf(": ") + 2).split(" ")),
          );
          const { a, b, map, set } = (live!["spec"] ?? {}) as Record<string, Json>;
          assert.equal(owned.has(".spec.a"), a !== undefined);
          assert.equal(owned.has(".spec.b"), b !== undefined);
          for (const key of ["x", "y", "z"]) {
            assert.equal(
              owned.has(`.spec.map.${key}`),
              (map as JsonObject | undefined | null)?.[key] !== undefined,
            );
            assert.equal(owned.has(`.spec.set[="${key}"]`), ((set ?? []) as Json[]).includes(key));
          }
        },
      ),
    );
  });
});
