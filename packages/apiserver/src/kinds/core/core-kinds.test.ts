import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, parseJson } from "homeostat/api";
import { deducedType } from "../../apimachinery/types/smd-type.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { openKind, printErrors, silentContext } from "../open-kind.suite.ts";
import { createBuiltinResources } from "../create-builtin-resources.ts";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";

const data = readKindData("1.36");
const resources = createBuiltinResources({ data, smdOf: () => deducedType });
const find = (group: string, name: string): ServedResource =>
  resources.find((each) => each.group === group && each.resource === name)!;

const decoded = (resource: ServedResource, body: object): JsonObject =>
  resource.codec.toStorage(resource.codec.decode(parseJson(JSON.stringify(body))).object);

function create(
  resource: ServedResource,
  body: object,
): {
  readonly object: JsonObject;
  readonly errors: string[];
  readonly warnings: readonly string[];
} {
  const object = decoded(resource, body);
  resource.strategy.prepareForCreate(object, silentContext());
  return {
    object,
    errors: printErrors(resource.strategy.validateCreate(object, silentContext())),
    warnings: resource.strategy.warningsOnCreate(object, silentContext()),
  };
}

test("a namespace gets its phase, finalizer and name label", () => {
  const { object } = create(find("", "namespaces"), {
    metadata: { name: "red", labels: { a: "b" } },
    status: { phase: "Terminating" },
  });
  assert.deepEqual(object["spec"], { finalizers: ["kubernetes"] });
  assert.deepEqual(object["status"], { phase: "Active" });
  assert.deepEqual((object["metadata"] as JsonObject)["labels"], {
    a: "b",
    "kubernetes.io/metadata.name": "red",
  });
});

test("a namespace's finalizers and phase change only through their own endpoints", () => {
  const namespaces = find("", "namespaces");
  const old = create(namespaces, { metadata: { name: "red" } }).object;
  const changed = decoded(namespaces, {
    metadata: { name: "red", labels: {} },
    spec: { finalizers: ["a/b"] },
    status: { phase: "Terminating" },
  });
  namespaces.strategy.prepareForUpdate(changed, old, silentContext());
  assert.deepEqual([changed["spec"], changed["status"]], [old["spec"], old["status"]]);
  const finalize = namespaces.subresources.get("finalize")!;
  assert.ok(finalize.at === "store");
  assert.deepEqual(
    printErrors(
      finalize.strategy.validateUpdate(
        decoded(namespaces, { metadata: { name: "red" }, spec: { finalizers: ["odd"] } }),
        old,
        silentContext(),
      ),
    ),
    [
      'spec.finalizers[0]: Invalid value: "odd": name is neither a standard finalizer name nor is it fully qualified',
    ],
  );
  const status = namespaces.subresources.get("status")!;
  assert.ok(status.at === "store");
  assert.match(
    printErrors(status.strategy.validateUpdate(changed, old, silentContext())).join(),
    /^$/,
  );
});

test("deletion of a namespace marks first and waits for spec.finalizers", () => {
  const rule = find("", "namespaces").strategy.deletion!;
  const object: JsonObject = { metadata: { name: "red" }, spec: {}, status: { phase: "Active" } };
  assert.equal(rule.holds(object), true);
  rule.mark(object, silentContext());
  assert.deepEqual([object["status"], rule.holds(object)], [{ phase: "Terminating" }, false]);
  assert.equal(rule.holds({ ...object, spec: { finalizers: ["kubernetes"] } }), true);
});

test("text data of a secret replaces and is never shown", () => {
  const { object, errors } = create(find("", "secrets"), {
    metadata: { name: "s" },
    data: { a: "eA==", b: "eQ==" },
    stringData: { a: "new" },
  });
  assert.deepEqual(object["data"], { a: "bmV3", b: "eQ==" });
  assert.deepEqual([object["type"], "stringData" in object, errors], ["Opaque", false, []]);
});

test("a secret's type demands its keys", () => {
  const secrets = find("", "secrets");
  assert.deepEqual(
    create(secrets, { metadata: { name: "s" }, type: "kubernetes.io/basic-auth" }).errors,
    ["data[username]: Required value", "data[password]: Required value"],
  );
  assert.deepEqual(
    create(secrets, {
      metadata: { name: "s" },
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": "[]" },
    }).errors,
    [
      'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  );
  const { warnings } = create(secrets, {
    metadata: { name: "s" },
    type: "kubernetes.io/tls",
    stringData: { "tls.crt": "", "tls.key": "" },
  });
  assert.deepEqual(warnings, ["tls: failed to find any PEM data in certificate input"]);
});

test("frozen data stays", () => {
  const maps = find("", "configmaps");
  const old = decoded(maps, {
    metadata: { name: "c", namespace: "n" },
    immutable: true,
    data: { a: "1" },
  });
  const change = decoded(maps, {
    metadata: { name: "c", namespace: "n" },
    data: { a: "2" },
    binaryData: { "..": "eA==" },
  });
  assert.deepEqual(printErrors(maps.strategy.validateUpdate(change, old, silentContext())), [
    "immutable: Forbidden: field is immutable when `immutable` is set",
    "data: Forbidden: field is immutable when `immutable` is set",
    "binaryData: Forbidden: field is immutable when `immutable` is set",
    "binaryData[..]: Invalid value: \"..\": must not be '..'",
  ]);
});

test("a key may stand in one bag only", () => {
  assert.deepEqual(
    create(find("", "configmaps"), {
      metadata: { name: "c" },
      data: { a: "1" },
      binaryData: { a: "eA==" },
    }).errors,
    ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  );
});

test("a type named like a member of Object.prototype is an ordinary type", () => {
  for (const type of ["hasOwnProperty", "__proto__", "constructor"])
    assert.deepEqual(
      create(find("", "secrets"), { metadata: { name: "s" }, type }).errors,
      [],
      type,
    );
});

test("service accounts keep only the names of secrets", () => {
  const { object } = create(find("", "serviceaccounts"), {
    metadata: { name: "a" },
    secrets: [{ name: "s", namespace: "n", kind: "Secret" }],
  });
  assert.deepEqual(object["secrets"], [{ name: "s" }]);
});

test("leases drop fields of disabled features and check their numbers", () => {
  const { object, errors } = create(find("coordination.k8s.io", "leases"), {
    metadata: { name: "l" },
    spec: {
      strategy: "OldestEmulationVersion",
      preferredHolder: "x",
      leaseDurationSeconds: 0,
      leaseTransitions: -1,
    },
  });
  assert.deepEqual(Object.keys(object["spec"] as JsonObject).sort(), [
    "leaseDurationSeconds",
    "leaseTransitions",
  ]);
  assert.deepEqual(errors, [
    "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
    "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
  ]);
});

test("an event is complete in both groups", () => {
  const events = find("events.k8s.io", "events");
  const stored = create(events, {
    metadata: { name: "e", namespace: "n" },
    regarding: { kind: "Pod", name: "p", namespace: "n" },
    note: "hi",
    reason: "R",
    action: "A",
    type: "Normal",
    eventTime: "2026-01-01T00:00:00.000001Z",
    reportingController: "c",
    reportingInstance: "i",
  });
  assert.deepEqual(stored.errors, []);
  assert.deepEqual(
    [
      stored.object["apiVersion"],
      stored.object["message"],
      stored.object["source"],
      stored.object["firstTimestamp"],
    ],
    ["v1", "hi", {}, null],
  );
  const shown = events.codec.fromStorage(structuredClone(stored.object));
  assert.deepEqual(
    [shown["apiVersion"], shown["note"], shown["regarding"], "message" in shown],
    ["events.k8s.io/v1", "hi", { kind: "Pod", name: "p", namespace: "n" }, false],
  );
  const facts = events.fields.extract(stored.object);
  assert.deepEqual(
    [
      facts[events.fields.attributeName!("regarding.name")],
      facts[events.fields.attributeName!("reportingController")],
      facts["source"],
    ],
    ["p", "c", "c"],
  );
});

test("the new event group is strict, the old one is not", () => {
  const body = {
    metadata: { name: "e", namespace: "n" },
    regarding: { namespace: "n" },
    involvedObject: { namespace: "n" },
  };
  assert.deepEqual(create(find("events.k8s.io", "events"), body).errors, [
    "eventTime: Required value",
    'type: Invalid value: "": has invalid value: ',
  ]);
  assert.deepEqual(create(find("", "events"), body).errors, []);
});

test("a pod template warns as workloads do", () => {
  const name = "seccomp.security.alpha.kubernetes.io/pod";
  const body = (image: string) => ({
    metadata: { name: "t", namespace: "n" },
    template: {
      metadata: { annotations: { [name]: "unconfined" } },
      spec: { containers: [{ name: "c", image }] },
    },
  });
  const warning = `template.metadata.annotations[${name}]: non-functional in v1.27+; use the "seccompProfile" field instead`;
  const kind = openKind("", "podtemplates");
  const { object, warnings } = kind.create(body("i"));
  assert.deepEqual(warnings, [warning]);
  assert.deepEqual(kind.update(object, { ...object, ...body("j") }).warnings, [warning]);
  assert.deepEqual(kind.update(object, object).warnings, []);
});

test("a claim's class moves from the annotation to the spec, where that states none", () => {
  const annotation = "volume.beta.kubernetes.io/storage-class";
  const kind = openKind("", "persistentvolumeclaims");
  const move = (old: object, spec: object, annotations: object = {}) => {
    const resources = { requests: { storage: "1Gi" } };
    const body = {
      metadata: { name: "c", namespace: "n", annotations: { [annotation]: "gold" } },
      spec: { accessModes: ["ReadWriteOnce"], resources, ...old },
    };
    const { object } = kind.create(body);
    const changed = { ...(object["spec"] as object), ...spec };
    const metadata = { ...(object["metadata"] as object), annotations };
    return kind.update(object, { ...object, metadata, spec: changed }).errors;
  };
  assert.deepEqual(move({}, { storageClassName: "gold" }), []);
  assert.deepEqual(move({}, { storageClassName: "gold" }, { [annotation]: "gold" }), []);
  const [annotated, spec, ...others] = move({}, { storageClassName: "tin" });
  assert.match(annotated!, /^metadata.annotations\[.*: field is immutable$/);
  assert.match(spec!, /^spec: Forbidden: spec is immutable after creation/);
  assert.deepEqual(others, []);
  const kept = { [annotation]: "gold" };
  assert.match(
    move({ storageClassName: "" }, { storageClassName: "gold" }, kept)[0]!,
    /\+ "StorageClassName": "gold",/,
  );
});
