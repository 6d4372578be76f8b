// Which questions decide whether a reader of introspection sees an object.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../client/create-client.ts";
import { createScriptedTransport } from "../../client/scripted-transport.suite.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { createViewers } from "./object-viewers.ts";

interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** An API server that allows what `allows` says, or refuses to answer. */
function arrange(allows: (asked: Attributes, user: string) => boolean | "refused") {
  const runtime = createVirtualRuntime();
  const asked: Attributes[] = [];
  const logged: string[] = [];
  const transport = createScriptedTransport((exchange) => {
    const { spec } = exchange.body as unknown as {
      readonly spec: { readonly user: string; readonly resourceAttributes: Attributes };
    };
    asked.push(spec.resourceAttributes);
    const allowed = allows(spec.resourceAttributes, spec.user);
    if (allowed === "refused") return exchange.refuse(403, "Forbidden");
    exchange.answer(201, { kind: "SubjectAccessReview", status: { allowed } });
  });
  const viewerOf = createViewers({
    client: createClient({ transport, runtime }),
    clock: runtime.clock,
    log: { debug() {}, info() {}, warn() {}, error: (line) => void logged.push(line) },
  });
  return { runtime, asked, logged, viewer: (username = "ann") => viewerOf({ username }) };
}

const orders = { group: "kitchen.example.com", resource: "orders" };
const all = { verb: "get", ...orders };
const lunch = { ...orders, namespace: "lunch" };

test("a right in all namespaces answers for each, and is asked about once", async () => {
  const { asked, viewer } = arrange(({ namespace }) => namespace === undefined);
  assert.equal(await viewer().mayGet(lunch), true);
  assert.equal(await viewer().mayGet({ ...orders, namespace: "dinner" }, "a"), true);
  assert.deepEqual(asked, [all]);
});

test("a right in one namespace shows that one, and a right to a name that name", async () => {
  const { asked, viewer } = arrange(
    ({ namespace, name }) => namespace === "lunch" || (namespace === "dinner" && name === "a"),
  );
  assert.equal(await viewer().mayGet(lunch), true);
  const dinner = { ...orders, namespace: "dinner" };
  assert.equal(await viewer().mayGet(dinner), false);
  assert.equal(await viewer().mayGet(dinner, "b"), false);
  assert.equal(await viewer().mayGet(dinner, "a"), true);
  assert.deepEqual(asked, [
    all,
    { verb: "get", ...lunch },
    { verb: "get", ...dinner },
    { verb: "get", ...dinner, name: "b" },
    { verb: "get", ...dinner, name: "a" },
  ]);
});

test("of objects without a namespace all, or one name, may be seen", async () => {
  const { asked, viewer } = arrange(({ name }) => name === "a");
  const nodes = { group: "", resource: "nodes", namespace: undefined };
  assert.equal(await viewer().mayGet(nodes), false);
  assert.equal(await viewer().mayGet(nodes, "a"), true);
  const question = { verb: "get", group: "", resource: "nodes" };
  assert.deepEqual(asked, [question, { ...question, name: "a" }]);
});

test("each user is asked about", async () => {
  const { viewer } = arrange((_, user) => user === "ann");
  assert.equal(await viewer("ann").mayGet(lunch), true);
  assert.equal(await viewer("bob").mayGet(lunch), false);
});

test("nothing is shown while the API server does not answer, which is said", async () => {
  const { viewer, logged } = arrange(() => "refused");
  assert.equal(await viewer().mayGet(lunch, "a"), false);
  assert.deepEqual(
    logged.map((line) => line.split(": ")[0]),
    [
      'authorizing ann to get orders in ""',
      'authorizing ann to get orders in "lunch"',
      'authorizing ann to get orders in "lunch"',
    ],
  );
});
