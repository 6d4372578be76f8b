// Law 4, against a model: a server with one revision counter, a watch that lags, writers that are
// us and others.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type CachedEntry, toEntry } from "./cached-entry.ts";
import { entryShape } from "./entry-shape.suite.ts";
import { Indexer } from "./indexer.ts";

const shape = entryShape({ frozen: false });

interface Fact {
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly gone: boolean;
}

function toCached({ name, uid, revision }: Fact): CachedEntry {
  return toEntry(
    new TextEncoder().encode(
      JSON.stringify({ metadata: { name, uid, resourceVersion: String(revision) } }),
    ),
    shape,
  );
}

/**
 * A server whose history the watch follows at its own pace; answers to our own writes may arrive
 * late.
 */
class Model {
  readonly store = new Indexer();
  readonly history: Fact[] = [];
  readonly answers: Fact[] = [];
  readonly completed: Fact[] = [];
  #shown = 0;
  #uids = 0;

  latest(name: string): Fact | undefined {
    return this.history.findLast((fact) => fact.name === name);
  }

  write(name: string, ours: boolean): void {
    const now = this.latest(name);
    this.#commit(
      {
        name,
        uid: now && !now.gone ? now.uid : `u${++this.#uids}`,
        revision: this.history.length + 1,
        gone: false,
      },
      ours,
    );
  }

  /** We delete what we have read; others delete anything. */
  remove(name: string, ours: boolean): void {
    const now = this.latest(name);
    if (!now || now.gone || (ours && this.store.get(name)?.uid !== now.uid)) return;
    this.#commit({ ...now, revision: this.history.length + 1, gone: true }, ours);
  }

  answer(): void {
    const fact = this.answers.shift();
    if (!fact) return;
    if (fact.gone) this.store.own.deleted(fact.uid);
    else this.store.own.written(toCached(fact), true);
    this.completed.push(fact);
  }

  show(): void {
    const fact = this.history[this.#shown];
    if (!fact) return;
    this.#shown++;
    if (fact.gone) {
      this.store.own.observedDeletion(fact.uid);
      this.store.delete(fact.name);
    } else this.store.set(toCached(fact));
    this.store.own.observed(String(fact.revision));
  }

  relist(): void {
    this.#shown = this.history.length;
    const names = new Set(this.history.map(({ name }) => name));
    const now = [...names].map((name) => this.latest(name)!).filter((fact) => !fact.gone);
    this.store.replace(new Map(now.map((fact) => [fact.name, toCached(fact)])));
    this.store.own.observed(String(this.history.length));
  }

  get shown(): number {
    return this.#shown;
  }

  #commit(fact: Fact, ours: boolean): void {
    this.history.push(fact);
    if (ours) this.answers.push(fact);
  }
}

const names = ["a", "b"] as const;
const step = fc.record({
  does: fc.constantFrom("write", "write", "remove", "answer", "answer", "show", "show", "relist"),
  name: fc.constantFrom(...names),
  ours: fc.boolean(),
});

function run(
  model: Model,
  { does, name, ours }: { readonly does: string; readonly name: string; readonly ours: boolean },
): void {
  if (does === "write") model.write(name, ours);
  if (does === "remove") model.remove(name, ours);
  if (does === "answer") model.answer();
  if (does === "show") model.show();
  if (does === "relist") model.relist();
}

/**
 * What a read of `name` must not be older than: our own completed writes and what the watch has
 * shown.
 */
function floorOf(model: Model, name: string): number {
  const shown =
    model.history.slice(0, model.shown).findLast((fact) => fact.name === name)?.revision ?? 0;
  const own = Math.max(
    0,
    ...model.completed.filter((fact) => fact.name === name).map(({ revision }) => revision),
  );
  return Math.max(shown, own);
}

describe("own writes over the cache, for any interleaving", () => {
  it("are never hidden by an older state, and hide nothing newer", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const model = new Model();
        for (const each of steps) {
          run(model, each);
          for (const name of names) {
            const read = model.store.get(name);
            const floor = floorOf(model, name);
            const expected = model.history[floor - 1];
            if (!expected || expected.gone)
              assert.equal(
                read,
                undefined,
                `${name} was seen gone at ${floor} and must not come back`,
              );
            else
              assert.equal(
                read?.resourceVersion,
                String(floor),
                `${name} must be read at ${floor}`,
              );
            assert.deepEqual(
              model.store.list().filter((entry) => entry.key === name),
              read ? [read] : [],
              "list agrees with get",
            );
            if (read)
              assert.ok(
                model.store.byIndex("namespace", "").includes(read),
                "index agrees with get",
              );
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("are forgotten once the watch has passed them", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const model = new Model();
        for (const each of steps) run(model, each);
        while (model.answers.length) model.answer();
        while (model.shown < model.history.length) model.show();
        assert.equal(model.store.own.size, 0);
      }),
    );
  });
});

describe("own writes", () => {
  const written = (revision: number, uid = "1"): CachedEntry =>
    toCached({ name: "a", uid, revision, gone: false });

  it("answered out of order are read at the later revision", () => {
    const store = new Indexer();
    store.own.written(written(8), true);
    store.own.written(written(7), true);
    assert.equal(store.get("a")?.resourceVersion, "8");
  });

  it("are known by their revision", () => {
    const store = new Indexer();
    store.own.written(written(8), true);
    assert.equal(store.own.isOwn(written(8)), true);
    assert.equal(store.own.isOwn(written(9)), false);
    assert.equal(store.own.arrives(written(9)), false);
  });

  it("are forgotten with the list that holds them", () => {
    const store = new Indexer();
    store.own.written(written(8), true);
    store.own.listed("8");
    assert.equal(store.own.size, 0);
    assert.equal(store.own.awaits("8"), false);
  });

  it("of a restored server are forgotten unless they were made since its list began", () => {
    const store = new Indexer();
    store.own.observed("20");
    store.own.deleted("before");
    store.own.listing();
    store.own.deleted("since");
    store.own.listed("5");
    assert.deepEqual(
      [store.own.observedDeletion("before"), store.own.observedDeletion("since")],
      [false, true],
    );
  });

  it("hide no more than the latest thousand deletions", () => {
    const store = new Indexer();
    store.set(written(1, "first"));
    store.own.deleted("first");
    for (let i = 1; i < 1024; i++) store.own.deleted(`uid-${i}`);
    assert.equal(store.get("a"), undefined);
    store.own.deleted("one more");
    assert.equal(store.get("a")?.uid, "first");
  });
});

describe("Indexer", () => {
  it("finds objects by a custom index, own writes included", () => {
    const store = new Indexer();
    store.addIndex(
      "initial",
      (object) => [object.metadata.name[0]],
      (error) => assert.fail(String(error)),
    );
    store.set(toCached({ name: "apple", uid: "1", revision: 1, gone: false }));
    store.own.written(toCached({ name: "avocado", uid: "2", revision: 2, gone: false }), true);
    store.own.written(toCached({ name: "banana", uid: "3", revision: 3, gone: false }), true);
    assert.deepEqual(
      store.byIndex("initial", "a").map(({ name }) => name),
      ["apple", "avocado"],
    );
    assert.throws(() => store.byIndex("nope", "a"), /ERR_CACHE_INDEX.*nope.*initial/);
  });

  it("hides an object that an own write took out of the selection", () => {
    const store = new Indexer();
    store.set(toCached({ name: "a", uid: "1", revision: 1, gone: false }));
    store.own.written(toCached({ name: "a", uid: "1", revision: 2, gone: false }), false);
    assert.equal(store.get("a"), undefined);
    assert.deepEqual(store.list(), []);
  });

  it("counts bytes", () => {
    const store = new Indexer();
    const made = toCached({ name: "a", uid: "1", revision: 1, gone: false });
    store.set(made);
    store.set(made);
    assert.equal(store.bytes, made.size);
    store.delete("a");
    assert.equal(store.bytes, 0);
  });

  it("continues when an index function throws, and reports it", () => {
    const store = new Indexer();
    const faults: unknown[] = [];
    store.addIndex(
      "broken",
      () => {
        throw new Error("index");
      },
      (error) => faults.push(error),
    );
    store.set(toCached({ name: "a", uid: "1", revision: 1, gone: false }));
    assert.deepEqual(store.byIndex("broken", "x"), []);
    assert.equal(faults.length, 1);
  });
});
