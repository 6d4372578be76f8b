import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../../api/kind.ts";
import { UnionLeases } from "./union-leases.ts";

const kind = (name: string) => ({ apiVersion: "v1", kind: name, scope: "Namespaced" }) as Kind;

test("a kind is dropped with its last lease, unless it is declared", () => {
  const dropped: string[] = [];
  const unions = new UnionLeases({
    informer: (one: Kind) => one.kind,
    drop: (one: Kind) => dropped.push(one.kind),
  } as never);
  unions.informer(kind("Declared"));
  unions.lease(kind("Declared")).release();
  const [first, second] = [unions.lease(kind("Box")), unions.lease(kind("Box"))];
  first.release();
  assert.deepEqual(dropped, []);
  second.release();
  assert.deepEqual(dropped, ["Box"]);
  unions.lease(kind("Box")).release();
  assert.deepEqual(dropped, ["Box", "Box"]);
});
