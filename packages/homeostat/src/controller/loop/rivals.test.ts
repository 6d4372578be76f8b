// Fights that the watch shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoopDetector } from "./loop-detector.ts";
import { changed, fights, manager, part, play } from "./play-runs.suite.ts";

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
