import assert from "node:assert/strict";
import { it } from "node:test";
import { fieldPaths } from "./field-paths.ts";
import { fingerprintOf, recordError } from "./fingerprint.ts";
import { recordWrite } from "./record-write.ts";
import { parseRequestPath } from "./request-path.ts";

const key = new Uint8Array(32);

it("a path names a resource, in a namespace or not", () => {
  assert.deepEqual(parseRequestPath("/apis/apps/v1/namespaces/shop/deployments/web/scale"), {
    apiVersion: "apps/v1",
    resource: "deployments",
    namespace: "shop",
    name: "web",
    subresource: "scale",
  });
  assert.deepEqual(parseRequestPath("/api/v1/namespaces/shop"), {
    apiVersion: "v1",
    resource: "namespaces",
    name: "shop",
  });
  assert.deepEqual(parseRequestPath("/api/v1/namespaces/shop/finalize"), {
    apiVersion: "v1",
    resource: "namespaces",
    name: "shop",
    subresource: "finalize",
  });
  assert.deepEqual(parseRequestPath("/apis/rbac.authorization.k8s.io/v1/roles/a%3Ab"), {
    apiVersion: "rbac.authorization.k8s.io/v1",
    resource: "roles",
    name: "a:b",
  });
  assert.equal(parseRequestPath("/apis/a/v1/things/%zz")?.name, "%zz");
  for (const other of ["/healthz", "/", "", "/api", "/apis/apps/v1"])
    assert.equal(parseRequestPath(other), undefined, other);
});

it("fields are named without values, and the object's own names left out", () => {
  const manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "b", labels: { "example.com/tier": "web", app: "x" } },
    data: { one: "1" },
    empty: {},
    list: [{ a: 1 }],
    gone: null,
  };
  assert.deepEqual(fieldPaths(manifest, 10), {
    paths: [
      'metadata.labels["example.com/tier"]',
      "metadata.labels.app",
      "data.one",
      "empty",
      "list",
      "gone",
    ],
    more: 0,
  });
  assert.deepEqual(fieldPaths(manifest, 2).more, 4);
  const steps = [{ op: "replace", path: "/spec/replicas", value: 3 }, 7];
  assert.deepEqual(fieldPaths(steps, 10), { paths: ["/spec/replicas"], more: 0 });
  assert.deepEqual(fieldPaths("text", 10), { paths: [], more: 0 });
  const [long] = fieldPaths({ ["x".repeat(5000)]: 1 }, 1).paths;
  assert.equal(long!.length, 201);
});

it("equal bodies have one hash, at any revision; Secrets have none", () => {
  const write = (resource: string, body: object, hashKey = key) =>
    recordWrite(
      { method: "PUT", path: `/api/v1/namespaces/a/${resource}/b`, body: body as never },
      200,
      hashKey,
    );
  const one = write("configmaps", { metadata: { resourceVersion: "1" }, data: { a: "b" } });
  const same = write("configmaps", { metadata: { resourceVersion: "2" }, data: { a: "b" } });
  const other = write("configmaps", { metadata: {}, data: { a: "c" } });
  assert.equal(one!.hash, same!.hash);
  assert.notEqual(one!.hash, other!.hash);
  const elsewhere = write("configmaps", { data: { a: "c" } }, new Uint8Array(32).fill(1));
  assert.notEqual(elsewhere!.hash, other!.hash, "nobody else can make the hash of a guess");
  assert.deepEqual(write("secrets", { data: { a: "b" } }), {
    verb: "update",
    resource: "v1 secrets",
    namespace: "a",
    name: "b",
    code: 200,
  });
  assert.equal(write("events", {}), undefined);
  const big = write("configmaps", { n: 2n ** 60n });
  assert.equal(big!.verb, "update");
});

it("a fingerprint is the same for other names, numbers and uids, and only for these", () => {
  const print = fingerprintOf("ns/box-1", undefined, "box-1 failed after 3 s in ns");
  assert.equal(fingerprintOf("shop/a", undefined, "a failed after 17 s in shop"), print);
  assert.equal(fingerprintOf("shop/+(.", undefined, "+(. failed after 17 s in shop"), print);
  assert.notEqual(fingerprintOf("ns/box-1", undefined, "box-1 stopped after 3 s in ns"), print);
  assert.notEqual(fingerprintOf("ns/box-1", "EIO", "box-1 failed after 3 s in ns"), print);
  assert.match(print, /^[0-9a-f]{12}$/);
  const long = (name: string): string =>
    fingerprintOf(`ns/${name}`, undefined, `no glue for ${name}: ${"x".repeat(900)}`);
  assert.equal(long("a"), long("b".repeat(60)), "also of long messages");
});

it("any error can be recorded", () => {
  const trap = new Proxy(
    {},
    {
      get() {
        throw new Error("no");
      },
    },
  );
  for (const error of [undefined, null, 0, "text", trap, Object.create(null), new Error("")])
    assert.match(recordError("a", error).fingerprint, /^[0-9a-f]{12}$/);
  assert.ok(recordError("a", new Error("x".repeat(1e6))).message.length < 1100);
  assert.equal(recordError("a", new TypeError("x")).code, "TypeError");
});
