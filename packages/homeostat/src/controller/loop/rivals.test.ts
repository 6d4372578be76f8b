// Fights that the watch shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ContestedObjects } from "../../cache/contested-objects.ts";
import type { History } from "./history.ts";
import { LoopDetector } from "./loop-detector.ts";
import { changed, fights, manager, part, play, wrote } from "./play-runs.suite.ts";
import { Rivals } from "./rivals.ts";

/** The state of the part after another manager, or the same one elsewhere, has changed it. */
function changedBy(who: string, i: number, of: number) {
  const fieldsV1 = { "f:spec": { "f:of": {} } };
  const created = { manager: "creator", time: "0", fieldsV1: { "f:spec": { "f:size": {} } } };
  const managedFields = [created, { manager: who, time: `${i}`, fieldsV1 }];
  const resourceVersion = `theirs ${i}`;
  return {
    resourceVersion,
    read: () => ({ metadata: { name: "p", resourceVersion, managedFields }, spec: { of } }),
  };
}

/** Plays a fight that the watch shows. */
function playSeen(detector: LoopDetector, most: number, who: (i: number) => string) {
  return play(detector, most, (i) => {
    detector.saw("a", "x/v1/Part p", changedBy(who(i), i, 2));
    return fights(i);
  });
}

test("another writer that managedFields show is named after three undone writes", () => {
  const detector = new LoopDetector(manager);
  assert.equal(
    playSeen(detector, 3, () => "rival"),
    undefined,
    "who edits twice is no rival",
  );
  const { loop, at } = playSeen(new LoopDetector(manager), 12, () => "rival")!;
  assert.equal(at, 4);
  assert.deepEqual(loop.rival, { fields: ["spec.of"], managers: ["rival"] });
  const next = detector.record("a", { ...fights(4), at: 4 });
  assert.equal(next, undefined, "what the watch has not shown proves nothing");
});

test("a writer with the same field manager is named as such", () => {
  const { loop, at } = playSeen(new LoopDetector(manager), 12, () => manager)!;
  assert.equal(at, 4);
  assert.deepEqual(loop.rival, { fields: ["spec.of"], managers: [manager], isNamesake: true });
  const ours = new LoopDetector(manager, { isOurs: () => true });
  assert.equal(playSeen(ours, 12, () => manager)?.loop.rival, undefined, "but not this process");
});

test("writers that change the same once each are no rivals", () => {
  const found = playSeen(new LoopDetector(manager), 12, (i) => `user ${i}`)!;
  assert.equal(found.at, 12);
});

test("a slow rival is a fight whose delays grow", () => {
  const detector = new LoopDetector(manager);
  const { at } = playSeen(detector, 12, () => "rival")!;
  for (let i = 0; i < 8; i++) detector.record("a", { ...fights(at + i), at: at + i });
  assert.ok(detector.delayMs("a", [changed(part, "p", "theirs")], at + 9) > 1000);
});

/** Rivals of the key `a`, whose part `p` is contested. */
function arrange() {
  const contested = new ContestedObjects();
  const rivals = new Rivals(manager, contested);
  const unfought = { undone: 0, isProven: false, rival: undefined } as History;
  const fight = (history: Partial<History> = {}, isOwn = () => false) =>
    rivals.fight("a", { ...unfought, ...history }, { undone: ours, isOwn, at: 0 });
  const ours = wrote(part, "p", "ours", 1);
  contested.add("x/v1/Part p", 0);
  return { rivals, fight, ours };
}

test("what the watch shows of objects that no rival writes is not kept", () => {
  const { rivals, fight } = arrange();
  rivals.saw("a", "x/v1/Part other", changedBy("thief", 1, 2));
  rivals.saw("b", "x/v1/Part p", changedBy("thief", 1, 2));
  assert.deepEqual(fight(), { undone: 1, isProven: false, rival: undefined });
});

test("a rival is proven when the same one is seen again, and kept while none is seen", () => {
  const { rivals, fight } = arrange();
  rivals.saw("a", "x/v1/Part p", changedBy("thief", 1, 2));
  const first = fight();
  const rival = { fields: ["spec.of"], managers: ["thief"] };
  assert.deepEqual(first, { undone: 1, isProven: false, rival });
  assert.deepEqual(fight(first), { undone: 2, isProven: true, rival });
  rivals.forget("a");
  assert.deepEqual(fight(first), { undone: 2, isProven: false, rival });
});

test("the latest rival with a name is named before one without", () => {
  const { rivals, fight } = arrange();
  rivals.saw("a", "x/v1/Part p", changedBy("earlier", 1, 2));
  rivals.saw("a", "x/v1/Part p", changedBy("later", 2, 2));
  const unnamed = { metadata: { name: "p", resourceVersion: "8" }, spec: { of: 3 } };
  rivals.saw("a", "x/v1/Part p", { resourceVersion: "8", read: () => unnamed });
  rivals.saw("a", "x/v1/Part p", { resourceVersion: "ours", read: () => unnamed });
  assert.deepEqual(fight().rival?.managers, ["later"]);
});

test("a rival without a name is better than none", () => {
  const { rivals, fight } = arrange();
  const unnamed = { metadata: { name: "p", resourceVersion: "8" }, spec: { of: 3 } };
  rivals.saw("a", "x/v1/Part p", { resourceVersion: "8", read: () => unnamed });
  assert.deepEqual(fight().rival, { fields: ["spec.of"], managers: [] });
});

test("what came before a write of this key has been dealt with", () => {
  const { rivals, fight, ours } = arrange();
  rivals.saw("a", "x/v1/Part p", changedBy("before", 1, 2));
  rivals.saw("a", "x/v1/Part p", changedBy("mine", 2, 1));
  rivals.saw("a", "x/v1/Part p", changedBy("after", 3, 2));
  rivals.wrote("a", [wrote(part, "p", "theirs 2", 1), wrote(part, "other", "theirs 3", 1)]);
  assert.deepEqual(fight().rival?.managers, ["after"]);
  rivals.wrote("a", [ours]);
  assert.equal(fight().rival, undefined, "a write that the watch has not shown deals with all");
});
