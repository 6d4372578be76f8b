// The informers of namespaces that open and close, on a cache that only counts its leases.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../../api/kind.ts";
import type { Cache } from "../../cache/index.ts";
import { NamespacedInformers } from "./namespaced-informers.ts";

const kind = (name: string): Kind =>
  ({ apiVersion: "x/v1", kind: name, resource: "x", scope: "Namespaced" }) as Kind;
const [Box, Part] = [kind("Box"), kind("Part")];

function arrange() {
  const leases: string[] = [];
  const connection = { remove() {} };
  const cache = {
    acquire({ kind: of }: Kind, { namespace }: { readonly namespace: string }) {
      leases.push(`acquire ${of} ${namespace}`);
      const informer = {
        hasSynced: () => true,
        freshness: () => ({ ready: true, isAllowed: true, isServed: true }),
        onFreshness: () => connection,
        addHandler: () => connection,
        synced: () => Promise.resolve(),
        entries: () => [],
      };
      return { informer, release: () => void leases.push(`release ${of} ${namespace}`) };
    },
  } as unknown as Cache;
  const taken = (): readonly string[] => leases.splice(0);
  return { informers: new NamespacedInformers(cache), taken };
}

test("a kind that is dropped is released once in each namespace, and begins anew when it is asked for", async () => {
  const { informers, taken } = arrange();
  const box = informers.informer(Box);
  informers.informer(Part);
  for (const namespace of ["a", "b"]) await informers.open(namespace);
  taken();
  informers.drop(Part);
  assert.deepEqual(taken(), ["release Part a", "release Part b"]);
  informers.drop(Part);
  assert.deepEqual(taken(), [], "nothing is left of it");
  informers.close("b");
  assert.deepEqual(taken(), ["release Box b"]);
  const again = informers.informer(Part);
  assert.deepEqual(taken(), ["acquire Part a"]);
  assert.equal(informers.informer(Part), again);
  assert.equal(informers.informer(Box), box, "other kinds stay");
  await informers.open("c");
  assert.deepEqual(taken(), ["acquire Box c", "acquire Part c"]);
  informers.closeAll();
  assert.deepEqual(taken().toSorted(), [
    "release Box a",
    "release Box c",
    "release Part a",
    "release Part c",
  ]);
});

test("a kind that was never asked for can be dropped", async () => {
  const { informers, taken } = arrange();
  await informers.open("a");
  informers.drop(Box);
  assert.deepEqual(taken(), []);
});
