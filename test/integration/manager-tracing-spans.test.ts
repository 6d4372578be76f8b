// What becomes a span and a link, without a server: in an order that one would rarely keep, and for
// what is not sampled.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type RecordedSpan, recordSpans, type Sampling } from "../fixtures/recording-tracer.ts";
import type { Kind } from "../../packages/homeostat/src/api/kind.ts";
import { currentWork } from "../../packages/homeostat/src/client/write-context.ts";
import type { RunTrace } from "../../packages/homeostat/src/controller/run/run-tracer.ts";
import type { QueueItem } from "../../packages/homeostat/src/queue/workqueue.ts";
import { createSystemRuntime } from "../../packages/homeostat/src/runtime/system-runtime.ts";
import { Tracing } from "../../packages/homeostat/src/manager/tracing/tracing.ts";

const menu = { apiVersion: "v1", kind: "Menu", resource: "menus", scope: "Namespaced" } as Kind;

/** A run that the given revisions of the menu have woken. */
const woken = (...revisions: readonly string[]): QueueItem => ({
  key: "kitchen/soup",
  priority: 0,
  failures: 0,
  droppedCauses: 0,
  waitedMs: 0,
  causes: revisions.map((resourceVersion) => ({
    what: "Menu kitchen/today MODIFIED",
    object: "v1/Menu kitchen/today",
    resourceVersion,
    at: 0,
    times: 1,
  })),
});

const written = (resourceVersion: string, name = "today") => ({
  kind: menu,
  key: { namespace: "kitchen", name },
  object: undefined,
  resourceVersion,
});

async function open(sampling?: Sampling, cluster?: string) {
  const { api, spans } = recordSpans(sampling);
  const tracing = new Tracing({ api }, createSystemRuntime().clock);
  await tracing.open();
  const cooks = tracing.controller({ name: "cooks", kind: "Soup", cluster });
  const begin = (...revisions: readonly string[]): RunTrace | undefined =>
    cooks.begin(woken(...revisions));
  const linksOf = (...revisions: readonly string[]): readonly string[] => {
    begin(...revisions)!.ended("success", undefined);
    return spans.at(-1)!.links;
  };
  return { api, spans, tracing, begin, linksOf };
}

/** Sends a request within a run. */
const send = (tracing: Tracing, trace: RunTrace | undefined): void =>
  currentWork.run({ wrote() {}, trace }, () =>
    tracing.answered({ method: "GET", path: "/api/v1/namespaces/kitchen/menus/today" }, 200, 3),
  );

test("a change that arrives before the answer to its write is linked at the end of its run", async () => {
  const { spans, begin } = await open();
  const writes = begin("5")!;
  const reads = begin("7", "8")!;
  const [writing, reading] = spans as [RecordedSpan, RecordedSpan];
  assert.deepEqual(reading.links, []);
  writes.wrote(written("7"));
  writes.wrote(written("8"));
  reads.wrote(written("7", "tomorrow"));
  reads.ended("success", undefined);
  assert.deepEqual(reading.links, [writing.id], "once");
  const again = begin("9")!;
  again.wrote(written("9"));
  again.ended("success", undefined);
  assert.deepEqual(spans[2]?.links, [], "not to itself");
  writes.ended("success", undefined);
  assert.deepEqual(writing.links, []);
  assert.deepEqual(writing.attributes["homeostat.wrote"], [
    "v1/Menu kitchen/today@7",
    "v1/Menu kitchen/today@8",
  ]);
});

test("a run that was linked at its start is not linked again", async () => {
  const { begin, linksOf } = await open();
  begin()!.wrote(written("7"));
  assert.deepEqual(linksOf("7"), ["1"]);
  assert.deepEqual(linksOf("7", "7"), ["1"]);
});

test("one revision of several objects, and of several writes", async () => {
  const { begin, linksOf } = await open();
  const [first, second] = [begin()!, begin()!];
  first.wrote(written("7"));
  second.wrote(written("7", "tomorrow"));
  assert.deepEqual(linksOf("7"), ["1"], "not the other object's");
  second.wrote(written("7"));
  assert.deepEqual(linksOf("7"), ["2"], "the latest");
});

test("writes that change nothing take no room: each is answered with the same revision", async () => {
  const { begin, linksOf } = await open();
  const run = begin()!;
  for (let write = 0; write < 20_000; write++) run.wrote(written("7", write % 2 ? "today" : "b"));
  assert.deepEqual(linksOf("7"), ["1"]);
});

test("the latest 4,000 revisions are remembered, and not all", async () => {
  const { begin, linksOf } = await open();
  const run = begin()!;
  for (let revision = 1; revision <= 9000; revision++) run.wrote(written(String(revision)));
  assert.deepEqual(linksOf("1000"), []);
  assert.deepEqual(linksOf("5001"), ["1"]);
  assert.deepEqual(linksOf("9000"), ["1"]);
});

test("controllers of one cluster are linked, those of two are not", async () => {
  const { api, spans } = recordSpans();
  const tracing = new Tracing({ api }, createSystemRuntime().clock);
  await tracing.open();
  const of = (name: string, cluster: string) =>
    tracing.controller({ name, kind: "Soup", cluster }).begin(woken("7"))!;
  of("cooks", "north").wrote(written("7"));
  of("waiters", "north");
  of("cooks", "south");
  assert.deepEqual(
    spans.map(({ links }) => links),
    [[], ["1"], []],
  );
});

test("a run that is not sampled makes no span of its requests, and is that of the code it runs", async () => {
  const { api, spans, tracing, begin, linksOf } = await open("unsampled");
  const run = begin("7")!;
  run.wrote(written("8"));
  send(tracing, run);
  assert.equal(spans.length, 1);
  const active = run.run(() => api.trace.getSpan(api.context.active()));
  assert.equal(active?.spanContext().spanId, spans[0]!.id);
  run.ended("error", new Error("no salt"));
  const [{ attributes, status, hasEnded }] = spans as [RecordedSpan];
  assert.deepEqual(
    { attributes, status, hasEnded },
    {
      attributes: { "homeostat.controller": "cooks", "homeostat.object.kind": "Soup" },
      status: { code: 0 },
      hasEnded: true,
    },
  );
  assert.deepEqual(linksOf("8"), [], "a link to it would lead nowhere");
});

test("without an SDK a run is not followed", async () => {
  const { spans, tracing, begin } = await open("no SDK");
  assert.equal(begin("7"), undefined);
  send(tracing, undefined);
  assert.equal(spans.length, 1);
});

test("a request of a sampled run is below it; others have no span", async () => {
  const { api, spans, tracing, begin } = await open();
  const run = begin()!;
  send(tracing, run);
  assert.equal(spans[1]?.parent, spans[0]?.id);
  run.run(() => send(tracing, undefined));
  assert.equal(spans.length, 2, "of other work in the same context");
  api.context.with(api.context.active(), () => send(tracing, undefined));
  assert.equal(spans.length, 2);
});

for (const sampling of ["sampled", "unsampled", "no SDK"] as const)
  test(`a review, ${sampling}: its span is that of the code it runs`, async () => {
    const { api, spans, tracing } = await open(sampling);
    const active = () => api.trace.getSpan(api.context.active())?.spanContext().spanId;
    const seen: unknown[] = [];
    const answer = { status: 500 };
    const answered = await tracing.review("/soup", async () => {
      seen.push(active());
      await new Promise(setImmediate);
      seen.push(active());
      api.trace.getTracer("mine").startSpan("look up");
      return answer;
    });
    assert.equal(answered, answer);
    const [review, mine] = spans as [RecordedSpan, RecordedSpan];
    const expected = sampling === "no SDK" ? undefined : review.id;
    assert.deepEqual(seen, [expected, expected]);
    assert.equal(mine.parent, expected);
    assert.equal(review.status.code, sampling === "sampled" ? 2 : 0);
    assert.equal(
      review.attributes["http.response.status_code"],
      sampling === "sampled" ? 500 : undefined,
    );
    await assert.rejects(async () =>
      tracing.review("/soup", () => Promise.reject(new Error("no"))),
    );
  });
