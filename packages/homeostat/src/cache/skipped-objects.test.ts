// One object that cannot be cached stops no other: it is skipped, named once, and counted.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isHomeostatError } from "../util/homeostat-error.ts";
import {
  bookmark,
  event,
  home,
  Meal,
  meal,
  play,
  type Play,
  playSynced,
} from "./informer-play.suite.ts";

/** Throws for objects whose `spec` is a list: their definition promises an object. */
const project = (object: any): unknown => {
  if (Array.isArray(object.spec)) throw new TypeError("spec is not an object");
  return { metadata: object.metadata, spec: object.spec };
};
const projections = new Map([[Meal, project]]) as never;
const poison = (name: string, resourceVersion: string): object => ({
  ...meal(name, resourceVersion),
  spec: [],
});
const names = ({ informer }: Play): readonly string[] =>
  informer.list().map((object) => object.metadata.name);

describe("a poisonous object", () => {
  it("is remembered with a thousand others, and reported beyond", async () => {
    const { transport, informer, faults, runtime } = await play({ projections });
    const many = Array.from({ length: 1002 }, (_, i) => event("ADDED", poison(`bad-${i}`, "2")));
    transport.last.head().lines(...many, bookmark("5", true));
    await runtime.advance(0);
    assert.deepEqual([informer.stats().skipped, faults.length], [1000, 1002]);
    assert.equal(informer.skipped().length, 1000);
  });

  it("in the first list is skipped, named and counted, and comes back once corrected", async () => {
    const playing = await play({ projections });
    const { transport, informer, faults, told } = playing;
    transport.last
      .head()
      .lines(
        event("ADDED", poison("bad", "2")),
        event("ADDED", { hello: 1 }),
        event("ADDED", meal("soup", "3")),
        bookmark("5", true),
      );
    assert.equal(informer.hasSynced(), true);
    assert.deepEqual(names(playing), ["soup"]);
    assert.equal(informer.stats().skipped, 2);
    assert.deepEqual(informer.skipped()[0], {
      key: "home/bad",
      resourceVersion: "2",
      reason: "spec is not an object",
    });
    assert.ok(faults.every((error) => isHomeostatError(error, "ERR_CACHE_OBJECT")));
    assert.match(String(faults[0]), /Meal home\/bad at revision 2.*spec is not an object/);
    transport.last.lines(event("MODIFIED", meal("bad", "8")));
    assert.deepEqual(names(playing), ["soup", "bad"]);
    assert.equal(informer.stats().skipped, 1);
    assert.equal(told.at(-1), "added home/bad 8 watch");
  });

  it("in the watch neither ends it nor hides later events; reads keep the last good revision", async () => {
    const { transport, informer, faults, told } = await playSynced({ projections });
    const requests = transport.exchanges.length;
    transport.last.lines(
      event("MODIFIED", poison("soup", "6")),
      event("MODIFIED", poison("soup", "6")),
      event("MODIFIED", meal("stew", "7")),
      event("MODIFIED", { kind: "Meal" }),
    );
    assert.equal(transport.exchanges.length, requests, "the watch goes on");
    assert.deepEqual(told, ["updated home/stew 4-7 watch"]);
    assert.equal(informer.get(home("soup"))?.metadata.resourceVersion, "3");
    assert.equal(informer.freshness().resourceVersion, "7");
    assert.equal(faults.length, 2, "one report a revision");
    transport.last.lines(event("DELETED", poison("soup", "8")));
    assert.deepEqual(told.slice(1), ["deleted home/soup 3 watch"]);
    assert.equal(informer.get(home("soup")), undefined);
    assert.equal(faults.length, 2, "a deletion is not reported");
    assert.deepEqual(
      informer.skipped().map(({ key }) => key),
      [""],
    );
  });

  it("in a new list is not taken for deleted", async () => {
    const { transport, runtime, informer, told } = await playSynced({ projections });
    transport.last.refuse(410, "Expired");
    const sent = transport.exchanges.length;
    while (transport.exchanges.length === sent) await runtime.advance(100);
    transport.last
      .head()
      .lines(
        event("ADDED", poison("soup", "6")),
        event("ADDED", meal("stew", "4")),
        bookmark("9", true),
      );
    assert.deepEqual(told, []);
    assert.equal(informer.get(home("soup"))?.metadata.resourceVersion, "3");
    assert.equal(informer.stats().skipped, 1);
  });

  it("that a new list does not deliver is forgotten, and named anew", async () => {
    const { transport, runtime, informer, faults } = await playSynced({ projections });
    transport.last.lines(event("MODIFIED", poison("soup", "6")));
    transport.last.refuse(410, "Expired");
    const sent = transport.exchanges.length;
    while (transport.exchanges.length === sent) await runtime.advance(100);
    transport.last.head().lines(event("ADDED", meal("stew", "4")), bookmark("9", true));
    assert.deepEqual([informer.stats().skipped, faults.length], [0, 1]);
    transport.last.lines(event("ADDED", poison("soup", "10")));
    assert.deepEqual([informer.stats().skipped, faults.length], [1, 2]);
  });

  it("whose text is not JSON inside is left out of lists", async () => {
    const playing = await playSynced();
    playing.transport.last.chunk(
      `{"type":"ADDED","object":{"metadata":{"name":"bad","namespace":"home","resourceVersion":"6"},"spec":{"a":nonsense}}}\n`,
    );
    assert.deepEqual(names(playing), ["soup", "stew"]);
    assert.equal(playing.informer.stats().skipped, 1);
    assert.equal(playing.faults.length, 1);
  });
});
