import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kind } from "../api/kind.ts";
import { defineController } from "./define-controller.ts";
import { owned } from "./owned.ts";
import { ref, refs } from "./ref.ts";
import { defineSignal } from "./signals/define-signal.ts";
import { all } from "./watching/all.ts";
import { index } from "./watching/declared-reads.ts";

const kind = (name: string): Kind =>
  ({
    apiVersion: "example.com/v1",
    kind: name,
    resource: name.toLowerCase(),
    scope: "Namespaced",
  }) as Kind;
const Box = kind("Box");
const Part = kind("Part");
const reconcile = (): void => {};
const drained = defineSignal({
  name: "drained",
  on: Part,
  carrier: { annotation: "example.com/drained" },
  setBy: ["a"],
  clearedBy: ["b"],
});

it("refuses definitions that cannot run, and names every problem", () => {
  for (const [definition, problem] of [
    [{}, /reconcile is not a function/],
    [{ reconcile, concurrency: 0 }, /concurrency is 0, expected a whole number from 1/],
    [{ reconcile, concurrency: NaN }, /concurrency is NaN/],
    [{ reconcile, concurrency: -1 }, /concurrency is -1/],
    [{ reconcile, concurrency: 1.5 }, /concurrency is 1\.5/],
    [{ reconcile, concurrency: "2" }, /concurrency is '2'/],
    [{ reconcile, timeout: 0 }, /timeout is 0, expected a duration above 0/],
    [{ reconcile, timeout: "0s" }, /timeout is '0s'/],
    [{ reconcile, timeout: "soon" }, /timeout is 'soon'/],
    [{ reconcile, timeout: NaN }, /timeout is NaN/],
    [{ reconcile, retryRate: { qps: 0, burst: 1 } }, /retryRate expects qps above 0/],
    [{ reconcile, retryRate: { qps: 1, burst: 0 } }, /burst, a whole number from 1/],
    [{ reconcile, retryRate: { qps: 1, burst: 1.5 } }, /burst, a whole number from 1/],
    [{ reconcile, priority: 3 }, /: priority is not a function/],
    [{ reconcile, fairBy: "name" }, /fairBy is 'name', expected "namespace"/],
    [{ reconcile, name: "" }, /name is empty/],
    [{ reconcile, finalize: {} }, /finalize is not a function/],
    [{ reconcile, owns: [Part, kind("Part")] }, /owns lists example\.com\/v1 Part twice/],
    [{ reconcile, owns: [undefined] }, /owns is not a list of kinds/],
    [{ reconcile, owns: Part }, /owns is not a list of kinds/],
    [{ reconcile, refs: { part: Part } }, /refs\.part is not made by ref/],
    [
      { reconcile, refs: { part: ref(undefined as never, () => "a") } },
      /refs\.part refers to undefined, expected a kind/,
    ],
    [
      { reconcile, refs: { part: refs(Part, "a" as never) } },
      /refs\.part selects by 'a', expected a function/,
    ],
    [
      { reconcile, refs: { part: ref(Part, () => "a", { when: 5 as never }) } },
      /when of refs\.part is 5, expected a function/,
    ],
    [{ reconcile, refs: [ref(Part, () => "a")] }, /refs is not an object/],
    [{ reconcile, watches: [all(Part)] }, /watches is not an object/],
    [
      { reconcile, watches: { parts: all(undefined as never) } },
      /watches\.parts watches undefined, expected a kind/,
    ],
    [
      { reconcile, watches: { parts: all(Part, { when: "no" as never }) } },
      /when of watches\.parts is 'no', expected a function/,
    ],
    [{ reconcile, watches: { parts: ref(Part, () => "a") } }, /watches\.parts is not made by all/],
    [
      { reconcile, indexes: { by: index(undefined as never, () => []) } },
      /indexes\.by is of undefined, expected a kind/,
    ],
    [
      { reconcile, indexes: { by: index(Part, undefined as never) } },
      /indexes\.by indexes by undefined, expected a function/,
    ],
    [{ reconcile, indexes: { by: Part } }, /indexes\.by is not made by index/],
    [{ reconcile, fieldManager: 5 }, /fieldManager is 5, expected a string/],
    [{ reconcile, finalizer: "" }, /finalizer is '', expected a string that is not empty/],
    [{ reconcile, reports: { event: true } }, /reports\.event: expected any of events, conditions/],
    [{ reconcile, reports: { events: "no" } }, /reports\.events is 'no', expected true or false/],
    [{ reconcile, reports: 5 }, /reports is 5, expected an object/],
    [{ reconcile, sources: [() => {}] }, /sources is not an object/],
    [{ reconcile, sources: { feed: [] } }, /: feed of sources is not a function/],
    [{ reconcile, backoff: null }, /backoff expects firstMs above 0/],
    [{ reconcile, backoff: { firstMs: 0, maxMs: 5 } }, /backoff expects firstMs above 0/],
    [{ reconcile, backoff: { firstMs: 6, maxMs: 5 } }, /and maxMs not below it/],
    [{ reconcile, backoff: { firstMs: 1, maxMs: Infinity } }, /backoff expects/],
    [
      { reconcile, backoff: { firstMs: 1, max: 5 } },
      /backoff\.max: unknown option; expected any of firstMs, maxMs/,
    ],
    [{ reconcile, retryRate: null }, /retryRate expects qps above 0/],
    [{ reconcile, retryRate: { qps: 1, bursts: 5 } }, /retryRate\.bursts: unknown option/],
    [{ reconcile, signals: {} }, /signals is not a list/],
    [{ reconcile, signals: [undefined] }, /signals lists what defineSignal\(…\) has not made/],
    [{ reconcile, signals: [{ on: Part }] }, /signals lists what defineSignal\(…\) has not made/],
    [
      { reconcile, signals: [drained] },
      /the signal drained is on Part, which is not in owns, refs/,
    ],
    [{ reconcile, reads: null }, /reads is not an object/],
    [{ reconcile, reads: [Part] }, /reads is not an object/],
    [{ reconcile, reads: { kind: [Part] } }, /reads\.kind: unknown option; expected any of kinds/],
    [{ reconcile, reads: { kinds: ["Part"] } }, /reads\.kinds is not a list of kinds/],
    [{ reconcile, reads: { labels: "app" } }, /reads\.labels is not a list of keys/],
    [{ reconcile, reads: { annotations: [""] } }, /reads\.annotations is not a list of keys/],
    [{ reconcile, indexes: null }, /indexes is not an object/],
    [{ reconcile, indexes: [index(Part, () => [])] }, /indexes is not an object/],
    [
      { reconcile, indexes: { by: index(Part, () => []) } },
      /indexes\.by is of Part, which is not in owns, refs or watches/,
    ],
    [{ concurrency: 0, timeout: 0 }, /concurrency is 0.*timeout is 0.*reconcile is not/],
  ] as const)
    assert.throws(
      () => defineController(Box, definition as never),
      (error: Error) =>
        error.message.startsWith("ERR_CONTROLLER_DEFINITION: defining a controller of Box: ") &&
        problem.test(error.message),
      String(problem),
    );
  assert.throws(() => defineController(undefined as never, { reconcile }), /not a kind/);
});

it("refuses wrong arguments of owned and all where they are called", () => {
  assert.throws(() => owned(undefined as never, {}), {
    message:
      "ERR_CONTROLLER_DEFINITION: declaring an owned kind: owned(…) was given undefined, expected a kind",
  });
  assert.throws(() => owned(Part, { when: true as never }), {
    message:
      "ERR_CONTROLLER_DEFINITION: declaring the owned kind Part: when is true, expected a function",
  });
  assert.throws(() => all(Part, { namespace: "Kitchen_1" }), {
    message:
      /^ERR_WATCH_SELECTION: watching Part: the namespace 'Kitchen_1' cannot exist: a lowercase RFC 1123 label/,
  });
  assert.throws(() => all(Part, { namespace: 5 as never }), {
    message: "ERR_WATCH_SELECTION: watching Part: namespace is 5, expected a string or a function",
  });
  assert.throws(() => all(Part, { label: { app: "web" } } as never), {
    message:
      "ERR_WATCH_SELECTION: watching Part: label: unknown option; expected any of namespace, labels, fields, when",
  });
  assert.throws(() => all(Part, { labels: 5 as never }), {
    message: /^ERR_WATCH_SELECTION: watching Part: labels is 5, expected /,
  });
  assert.throws(() => all(Part, { fields: ["a"] as never }), {
    message: /^ERR_WATCH_SELECTION: watching Part: fields is \[ 'a' \], expected /,
  });
});

it("refuses options of declared kinds that are none, and unknown ones, where they are given", () => {
  const options: readonly any[] = ["x", null, { whn: () => true }];
  const calls = {
    ref: (given: any) => ref(Part, () => "a", given),
    refs: (given: any) => refs(Part, () => [], given),
    all: (given: any) => all(Part, given),
    owned: (given: any) => owned(Part, given),
  };
  for (const [name, call] of Object.entries(calls))
    for (const given of options)
      assert.throws(() => call(given), /Part: .*(expected \{.* when \}|whn: unknown option)/, name);
});

it("accepts definitions that can", () => {
  const declaring = {
    signals: [drained],
    indexes: { by: index(Part, () => []) },
    reads: { kinds: [Part], labels: ["app"], annotations: ["example.com/note"] },
    sources: { feed: async function* () {} },
    backoff: { firstMs: 5, maxMs: 5 },
    retryRate: { qps: 0.5, burst: 1 },
  };
  for (const by of [{ owns: [Part] }, { refs: { part: ref(Part, () => "a") } }])
    defineController(Box, { reconcile, ...declaring, ...by } as never);
  defineController(Box, { reconcile, name: "a", concurrency: 3, timeout: "5m", owns: [Part] });
  defineController(Box, { reconcile, timeout: 1, refs: { part: ref(Part, () => "a") } });
});

it("refuses kinds that lack a part of their name", () => {
  const { apiVersion, resource, scope } = Box;
  for (const part of [{ kind: "" }, { apiVersion: undefined }, { resource: "" }]) {
    const wrong = { apiVersion, kind: "Box", resource, scope, ...part } as Kind;
    assert.throws(() => defineController(wrong, { reconcile }), /its first argument is not a kind/);
  }
});
