// The calls of own() that are refused or held before anything is sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { arrangeSet, mine, Part } from "./arrange-set.suite.ts";
import { createOwn } from "./create-own.ts";

function arrange(
  isFinal = false,
  cached = [mine("a", { of: "x" })],
  options: Parameters<typeof arrangeSet>[1] = {},
) {
  const { set, requests } = arrangeSet(cached, options);
  const { informer, ...rest } = set;
  const owning = createOwn({
    ...rest,
    informer: (kind) => (kind === Part ? informer : undefined),
    isFinal,
    hasOwnedElsewhere: false,
    unseen() {},
    owns: [Part],
    protect: async () => {},
  });
  return { owning, requests, memory: set.memory };
}
const part = { metadata: { name: "a" }, spec: { of: "x" } } as never;
const refused = (code: string, message: RegExp) => (error: unknown) =>
  isHomeostatError(error, code) && message.test(error.message);

test("own() refuses duplicates, a second call for the same set, and an undeclared kind", async () => {
  const { owning, requests } = arrange();
  await assert.rejects(owning.own(Part, [part, part]), refused("ERR_OWN_DUPLICATE", /"n\/a"/));
  await assert.rejects(owning.own(Part, [part]), refused("ERR_OWN_TWICE", /^.*Box n\/b owning/));
  await owning.own(Part, [], { set: "named" });
  await assert.rejects(
    owning.own({ ...Part, kind: "Other" }, []),
    refused("ERR_UNDECLARED", /Box n\/b owning Other/),
  );
  assert.deepEqual(requests, []);
});

test("a set that is held resolves to those of its objects that exist, not to one that is gone", async () => {
  const applied = ["op/box/later"];
  const first = mine("first", { of: "x", applied: ["op/box"] });
  const cached = [first, mine("kept", { applied }), mine("gone", { applied })];
  const { owning, memory } = arrange(false, cached);
  memory.gone("uid-gone");
  await owning.own(Part, [first], { order: 1, ready: () => false });
  const later = cached.slice(1);
  const held = await owning.own(Part, later, { set: "later", order: 2 });
  assert.deepEqual(held, [cached[1]]);
});

test("`ready` is not asked about an object that does not match its definition", async () => {
  const cached = [mine("a", { of: "x" }), mine("b", { of: "x" })];
  const { owning } = arrange(false, cached, { mismatched: ["n/b"] });
  const asked: string[] = [];
  const ready = ({ metadata }: any) => asked.push(metadata.name) > 0;
  await owning.own(Part, cached, { order: 1, ready });
  assert.deepEqual([asked, owning.waiting()], [["a"], undefined]);
  await owning.own(Part, [], { set: "next", order: 2 });
  assert.equal(owning.waiting(), "Part b to be ready");
});
