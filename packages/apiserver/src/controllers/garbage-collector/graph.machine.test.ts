// The graph on its own: readable plays with what they ask for, and random ones against a model that
// looks at everything.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type GraphObject,
  type GraphWork,
  OwnerGraph,
  waitsForDependents,
} from "./graph.machine.ts";

/**
 * `name[@namespace] [<- owner[!]…] [deleting finalizer…]`; the uid is the name, `!` blocks,
 * namespace "*" is cluster-wide.
 */
function parse(text: string): GraphObject {
  const [head = "", deletion] = text.split(" deleting");
  const [who = "", owned] = head.split(" <- ");
  const [name = "", namespace = "n"] = who.trim().split("@");
  const owners = (owned?.trim().split(" ") ?? []).map((one) => {
    const [reference = "", uid] = one.replace("!", "").split("#");
    return {
      apiVersion: "v1",
      kind: "Box",
      name: reference,
      uid: uid ?? reference,
      blocking: one.endsWith("!"),
    };
  });
  return {
    apiVersion: "v1",
    kind: "Box",
    namespace: namespace === "*" ? "" : namespace,
    name,
    uid: name,
    owners,
    deleting: deletion !== undefined,
    finalizers: deletion?.trim().split(" ").filter(Boolean) ?? [],
  };
}

function print({ collect, orphan, misplaced }: GraphWork): string {
  const parts = [
    ...collect.map((uid) => `look at ${uid}`),
    ...orphan.map((uid) => `orphan ${uid}`),
    ...misplaced.map(
      ({ dependent, reference }) => `${dependent.uid} misplaced under ${reference.uid}`,
    ),
  ];
  return parts.sort().join(", ") || "nothing";
}

function play(script: string): string {
  const graph = new OwnerGraph();
  const run = (line: string): string => {
    if (line === "review") return print(graph.review());
    if (line.startsWith("gone ")) return print(graph.forget(line.slice(5)));
    return print(graph.observe(parse(line)));
  };
  const lines = script
    .trim()
    .split("\n")
    .map((line) => line.split("=>")[0]!.trim());
  return lines.map((line) => `${line} => ${run(line)}`).join("\n");
}

const plays: Readonly<Record<string, string>> = {
  "an owner goes and its dependents are looked at": `
    a => nothing
    b <- a => nothing
    c <- b => nothing
    gone a => look at b
    gone b => look at c`,
  "a dependent that comes before its owner is looked at once": `
    b <- a => look at b
    b <- a => nothing
    a => nothing
    b <- a c => look at b`,
  "an owner in another namespace is none, a cluster-wide one is one everywhere": `
    a@x => nothing
    b@y <- a => b misplaced under a, look at b
    c@* <- a => c misplaced under a, look at c
    d@* => nothing
    e@y <- d => nothing
    f@y <- g => look at f
    g@x => f misplaced under g, look at f`,
  "a reference with wrong coordinates of its owner is suspicious in either order of events": `
    a => nothing
    b <- wrong#a => look at b
    d <- wrong#c => look at d
    c => look at d`,
  "an owner that waits is looked at with its dependents, and again whenever one blocks it no more": `
    a => nothing
    b <- a! => nothing
    c <- a! => nothing
    d <- a => nothing
    a deleting foregroundDeletion => look at a, look at b, look at c, look at d
    a deleting foregroundDeletion => nothing
    b <- a => look at a
    c => look at a
    gone d => look at a
    gone b => look at a
    gone a => nothing`,
  "dependents that come while an owner waits are left until it goes": `
    a deleting foregroundDeletion => look at a
    b <- a => nothing
    gone a => look at b`,
  "orphaning comes before waiting": `
    a deleting orphan foregroundDeletion => orphan a
    a deleting foregroundDeletion => look at a`,
  "an object that is going already says so when it is first seen": `
    b <- a => look at b
    a deleting orphan => orphan a
    c deleting foregroundDeletion => look at c`,
  "a finalizer of the collector means nothing while its object stays": `
    a => nothing
    b <- a! => nothing
    c deleting x => nothing`,
  "a review asks for everything anew": `
    a => nothing
    b <- a => nothing
    c <- missing => look at c
    d deleting foregroundDeletion => look at d
    e <- d! => nothing
    f deleting orphan => orphan f
    review => look at c, look at d, look at e, orphan f`,
  "what is not known cannot go": `
    gone a => nothing
    b <- a => look at b
    gone a => nothing`,
};

describe("the graph of owners", () => {
  for (const [name, script] of Object.entries(plays)) {
    test(name, () =>
      assert.equal(
        play(script),
        script
          .trim()
          .split("\n")
          .map((line) => line.trim())
          .join("\n"),
      ),
    );
  }

  const uids = ["a", "b", "c", "d", "e"];
  const reference = fc
    .record({ uid: fc.constantFrom(...uids, "z"), wrong: fc.boolean(), blocking: fc.boolean() })
    .map(({ uid, wrong, blocking }) => ({
      apiVersion: "v1",
      kind: "Box",
      name: wrong ? "wrong" : uid,
      uid,
      blocking,
    }));
  const object = fc.record({
    uid: fc.constantFrom(...uids),
    namespace: fc.constantFrom("", "m", "n"),
    owners: fc.uniqueArray(reference, { selector: ({ uid }) => uid, maxLength: 3 }),
    deleting: fc.boolean(),
    finalizers: fc.subarray(["orphan", "foregroundDeletion", "other"]),
  });
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: object.map((one) => ({ ...one, apiVersion: "v1", kind: "Box", name: one.uid })),
    },
    { weight: 1, arbitrary: fc.constantFrom(...uids) },
  );

  /** Identity and place never change while an object lives; nothing stops being deleted. */
  function lawful(objects: Map<string, GraphObject>, next: GraphObject): GraphObject {
    const old = objects.get(next.uid);
    return old
      ? { ...next, namespace: old.namespace, deleting: old.deleting || next.deleting }
      : next;
  }
  const suspicious = (
    objects: Map<string, GraphObject>,
    { owners, namespace }: GraphObject,
  ): readonly string[] =>
    owners.flatMap(({ uid, name }) => {
      const owner = objects.get(uid);
      return owner &&
        owner.name === name &&
        (owner.namespace === "" || owner.namespace === namespace)
        ? []
        : [uid];
    });
  const blocked = (objects: Map<string, GraphObject>, uid: string): boolean =>
    [...objects.values()].some(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blocking),
    );

  test("finds every object to check or release, and every dependent", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const graph = new OwnerGraph();
        const objects = new Map<string, GraphObject>();
        for (const one of steps) {
          const before = new Map(objects);
          const next = typeof one === "string" ? undefined : lawful(objects, one);
          if (next) objects.set(next.uid, next);
          else objects.delete(one as string);
          const { collect, orphan } = next ? graph.observe(next) : graph.forget(one as string);
          for (const [uid, now] of objects) {
            const was = before.get(uid);
            const known = was ? suspicious(before, was) : [];
            if (
              suspicious(objects, now).some(
                (owner) =>
                  !known.includes(owner) &&
                  !was?.owners.some((reference) => reference.uid === owner && objects.has(owner)),
              )
            )
              assert.ok(collect.includes(uid), `${uid} became suspicious`);
            if (waitsForDependents(now) && was && blocked(before, uid) && !blocked(objects, uid))
              assert.ok(collect.includes(uid), `${uid} is not blocked any more`);
            const dependents = [...objects.values()]
              .filter(({ owners }) => owners.some((owner) => owner.uid === uid))
              .map((dependent) => dependent.uid);
            assert.deepEqual([...(graph.node(uid)?.dependents ?? [])].sort(), dependents.sort());
          }
          for (const uid of [...collect, ...orphan])
            assert.ok(objects.has(uid), `${uid} is not there`);
        }
        for (const uid of uids) assert.deepEqual(graph.node(uid)?.object, objects.get(uid));
      }),
      { numRuns: 300 },
    );
  });

  test("a review finds what a complete view of all objects finds", () => {
    fc.assert(
      fc.property(fc.uniqueArray(object, { selector: ({ uid }) => uid }), (made) => {
        const all = made.map((one) => ({ ...one, apiVersion: "v1", kind: "Box", name: one.uid }));
        const graph = new OwnerGraph();
        for (const one of all) graph.observe(one);
        const objects = new Map(all.map((one) => [one.uid, one] as const));
        const waiting = all
          .filter((one) => waitsForDependents(one) && !one.finalizers.includes("orphan"))
          .map(({ uid }) => uid);
        const expected = all.filter(
          (one) =>
            suspicious(objects, one).length > 0 ||
            waiting.includes(one.uid) ||
            one.owners.some(({ uid }) => waiting.includes(uid)),
        );
        const { collect, orphan } = graph.review();
        assert.deepEqual([...collect].sort(), expected.map(({ uid }) => uid).sort());
        assert.deepEqual(
          [...orphan].sort(),
          all
            .filter((one) => one.deleting && one.finalizers.includes("orphan"))
            .map(({ uid }) => uid)
            .sort(),
        );
      }),
      { numRuns: 300 },
    );
  });
});
