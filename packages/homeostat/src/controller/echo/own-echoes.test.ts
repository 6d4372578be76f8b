import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../../api/kind.ts";
import type { JsonObject } from "../../api/json.ts";
import type { QueueCause } from "../../queue/workqueue.ts";
import { OwnEchoes } from "./own-echoes.ts";
import { observeStatus } from "./observe-status.ts";
import { kindId, revisionId, RunRecord } from "./run-record.ts";

const box = { apiVersion: "x/v1", kind: "Box" } as Kind;
const part = { apiVersion: "x/v1", kind: "Part" } as Kind;
const kinds = new Set([kindId(box), kindId(part)]);

const object = (name: string, resourceVersion: string, more: object = {}) => ({
  apiVersion: "x/v1",
  kind: "Box",
  metadata: { name, uid: `uid-${name}`, resourceVersion, generation: 1, creationTimestamp: "" },
  ...more,
});
const write = (kind: Kind, written: object) => ({
  kind,
  key: { name: (written as { readonly metadata: { readonly name: string } }).metadata.name },
  object: written as JsonObject,
});
const boxAt = (resourceVersion: string): string => revisionId(box, "a", resourceVersion);

function harness() {
  const added: string[] = [];
  const ignored: string[] = [];
  const echoes = new OwnEchoes(
    {
      add: (key, { cause } = {}) => void added.push(`${key} ${cause?.what}`),
      ignore: (key, { what }: QueueCause) => void ignored.push(`${key} ${what}`),
    },
    () => 7,
  );
  /** A change of Box a; true when it neither runs the key now nor later. */
  const arrives = (resourceVersion: string): boolean =>
    echoes.takes("a", boxAt(resourceVersion), { what: `Box@${resourceVersion}` });
  const begins = (resourceVersion: string): RunRecord => {
    const record = new RunRecord(kinds);
    record.starts(box, object("a", resourceVersion));
    echoes.begin("a", record);
    return record;
  };
  return { echoes, added, ignored, arrives, begins };
}

test("a change that arrives before the response to its write is held, then dropped", () => {
  const { echoes, added, ignored, arrives, begins } = harness();
  const record = begins("1");
  assert.equal(arrives("2"), true);
  assert.deepEqual(echoes.held("a"), [{ what: "Box@2", at: 7, times: 1 }]);
  record.wrote(write(box, object("a", "2")));
  echoes.end("a");
  assert.deepEqual([added, ignored], [[], ["a Box@2 by its own reconcile"]]);
  assert.deepEqual([echoes.held("a"), echoes.size], [[], 0]);
});

test("a change that arrives after the run is dropped once, and nothing is kept for the key", () => {
  const { echoes, ignored, arrives, begins } = harness();
  begins("1").wrote(write(box, object("a", "2")));
  echoes.end("a");
  assert.equal(echoes.size, 1);
  assert.equal(arrives("2"), true);
  assert.deepEqual([ignored.length, echoes.size], [1, 0]);
  assert.equal(arrives("2"), false, "not a second time");
});

test("what others write is added when the run has ended, also in between", () => {
  const { echoes, added, arrives, begins } = harness();
  const record = begins("1");
  assert.equal(arrives("2"), true);
  record.wrote(write(box, object("a", "3")));
  assert.equal(arrives("3"), true);
  echoes.end("a");
  assert.deepEqual(added, ["a Box@2"]);
  assert.equal(arrives("4"), false);
});

test("what was held is added once, and the writes of the run before are known as well", () => {
  const { echoes, added, arrives, begins } = harness();
  const record = begins("1");
  assert.equal(arrives("2"), true);
  record.wrote(write(box, object("a", "3")));
  echoes.end("a");
  assert.deepEqual([echoes.size, echoes.held("a"), added], [1, [], ["a Box@2"]]);
  begins("2");
  echoes.end("a");
  assert.equal(added.length, 1);
  assert.equal(arrives("3"), true);
});

test("a change that a run started from is dropped, though the run before could not know it", () => {
  const { echoes, added, ignored, arrives, begins } = harness();
  const first = begins("1");
  first.readsStatus();
  first.wrote(write(box, object("a", "2")));
  echoes.end("a");
  begins("2");
  assert.equal(arrives("2"), true);
  echoes.end("a");
  assert.deepEqual([added, ignored.length], [[], 1]);
});

test("what never arrives is forgotten after two runs", () => {
  const { echoes, begins } = harness();
  begins("1").wrote(write(box, object("a", "2")));
  echoes.end("a");
  for (const from of ["2", "3"]) {
    begins(from);
    echoes.end("a");
  }
  assert.equal(echoes.size, 0);
  begins("1").wrote(write(box, object("a", "2")));
  echoes.forget("a");
  assert.equal(echoes.size, 1, "a running key keeps its record");
  echoes.end("a");
  echoes.forget("a");
  assert.equal(echoes.size, 0);
});

test("beyond a thousand held changes the key is added", () => {
  const { arrives, begins } = harness();
  begins("1");
  for (let i = 0; i < 1000; i++) assert.equal(arrives(`x${i}`), true);
  assert.equal(arrives("y"), false);
});

/** Whether the arrival of the write is known, after `prepare`. */
function knows(
  prepare: (record: RunRecord) => void,
  kind: Kind,
  written: ReturnType<typeof object>,
): boolean | undefined {
  const record = new RunRecord(kinds);
  record.starts(box, object("a", "1", { spec: { n: 1 } }));
  record.wrote(write(kind, written));
  prepare(record);
  return record.revisions()?.get(revisionId(kind, written.metadata.name, "2"));
}

test("an own write of the object is known when only the status changed and was not read", () => {
  const nothing = (): void => {};
  assert.equal(knows(nothing, box, object("a", "2", { status: { n: 2 } })), true);
  assert.equal(
    knows((record) => record.readsStatus(), box, object("a", "2")),
    false,
  );
  assert.equal(
    knows((record) => record.reads(box), box, object("a", "2")),
    false,
  );
  const { metadata } = object("a", "2");
  for (const change of [{ generation: 2 }, { annotations: { a: "b" } }, { deletionTimestamp: "x" }])
    assert.equal(
      knows(nothing, box, { ...object("a", "2"), metadata: { ...metadata, ...change } }),
      false,
      `another writer's ${JSON.stringify(change)}`,
    );
  const managed = { ...metadata, managedFields: [{}] };
  assert.equal(knows(nothing, box, { ...object("a", "2"), metadata: managed }), true);
});

test("a write that the run then starts from is known, whatever the run reads", () => {
  const record = new RunRecord(kinds);
  const withFinalizer = object("a", "2");
  record.wrote(write(box, withFinalizer));
  record.starts(box, withFinalizer);
  record.readsStatus();
  assert.equal(record.revisions()?.get(boxAt("2")), true);
});

test("without a generation, all other fields are compared", () => {
  const { generation: _g, ...metadata } = object("a", "1").metadata;
  const record = new RunRecord(kinds);
  record.starts(box, { metadata, data: 1 } as never);
  const next = { ...metadata, resourceVersion: "2" };
  record.wrote(write(box, { metadata: next, data: 1, status: 1 }));
  record.wrote(write(box, { metadata: { ...next, resourceVersion: "3" }, data: 2 }));
  assert.deepEqual(
    [...(record.revisions() ?? [])],
    [
      [boxAt("2"), true],
      [boxAt("3"), false],
    ],
  );
});

test("an own write of another object is known once its result was received and the kind not read", () => {
  const result = object("p", "2");
  const received = (record: RunRecord): void => record.receives(part, result);
  assert.equal(knows(received, part, result), true);
  assert.equal(
    knows(() => {}, part, result),
    false,
  );
  const alsoRead = (record: RunRecord): void => {
    received(record);
    record.reads(part);
  };
  assert.equal(knows(alsoRead, part, result), false);
  assert.equal(
    knows((record) => record.isRetried(), part, result),
    true,
    "a failed run is retried, and its writes must not hasten that",
  );
  const other = { apiVersion: "x/v1", kind: "Other" } as Kind;
  assert.equal(knows(received, other, result), undefined, "a kind that is not watched");
});

test("the object of a context is as it was, and tells when its status is read", () => {
  let reads = 0;
  const read = (): void => void reads++;
  const whole = object("a", "1", { spec: { n: 1 }, status: { n: 2 } });
  const observed = observeStatus(whole, read);
  assert.equal(observed.metadata, whole.metadata);
  assert.equal(reads, 0);
  assert.equal(JSON.stringify(observed), JSON.stringify(whole));
  assert.deepEqual({ ...observed }, whole);
  assert.equal(reads, 2);
  assert.equal(observeStatus(object("a", "1"), read).metadata.name, "a");
  assert.ok(Object.isFrozen(observeStatus(Object.freeze({ ...whole }), read)));
  const unusual = JSON.parse('{"metadata":{"name":"a"},"status":null,"__proto__":{"b":1},"z":1}');
  const copy = observeStatus(unusual, read);
  assert.equal(JSON.stringify(copy), JSON.stringify(unusual));
  assert.equal(Object.getPrototypeOf(copy), Object.prototype);
});
