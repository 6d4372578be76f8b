import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { ref } from "./ref.ts";
import { resolveRefs } from "./resolve-refs.ts";
import { allNamespaces } from "./watching/namespace-scope.ts";

const part = { apiVersion: "x/v1", kind: "Part", resource: "parts", scope: "Namespaced" } as Kind;
const clusterWide = {
  apiVersion: "x/v1",
  kind: "Depot",
  metadata: { name: "depot" },
} as KubeObject;
const scope = {
  namespaces: allNamespaces,
  observe: <T>(read: T) => read,
  informer: () => ({ get: ({ namespace }: { namespace?: string }) => namespace, list: () => [] }),
};
const resolve = (select: Parameters<typeof ref>[1]) =>
  resolveRefs({ name: "depots", refs: { part: ref(part, select) } }, clusterWide, scope as never);

it("a cluster-scoped object must say in which namespace a target is", () => {
  assert.throws(() => resolve(() => "part"), {
    code: "ERR_REF_NAMESPACE",
    message:
      /reference "part" of "depots" leads to Part "part" without a namespace, and the object is cluster-scoped/,
  });
  assert.deepEqual(
    resolve(() => ({ namespace: "a", name: "part" })),
    { part: "a" },
  );
  assert.deepEqual(
    resolve(() => undefined),
    { part: undefined },
  );
});
