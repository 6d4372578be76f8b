import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedCause } from "../../queue/workqueue.ts";
import { compactWrite } from "./compact-write.ts";
import { LoopDetector } from "./loop-detector.ts";
import {
  again,
  box,
  changed,
  deleted,
  fights,
  manager,
  part,
  play,
  wrote,
  type Played,
} from "./play-runs.suite.ts";

const countsUp = (i: number): Played => ({
  causes: [changed(box, "a", i - 1)],
  writes: [wrote(box, "a", i, i)],
});
const flips = (i: number): Played => ({
  causes: [changed(box, "a", i - 1)],
  writes: [wrote(box, "a", i, i % 2)],
});
test("values that come back are a loop, which is named once and slowed down", () => {
  const detector = new LoopDetector(manager);
  const found = play(detector, 100, flips)!;
  assert.deepEqual(found.loop, { by: "itself", runs: found.at, wrote: ["Box spec.of"] });
  assert.ok(found.at > 20 && found.at < 30, `${found.at}`);
  assert.deepEqual(detector.active("a"), found.loop);
  const next = [changed(box, "a", found.at)];
  assert.equal(detector.delayMs("a", next, found.at), 100);
  assert.equal(detector.delayMs("a", [...next, changed(part, "p", "x")], found.at), 0);
  assert.equal(detector.delayMs("a", [changed(box, "a", "foreign")], found.at), 0);
  const paced = { ...detector.pacedCause(), at: 0, times: 1 };
  assert.equal(detector.delayMs("a", [paced, ...next], found.at + 30), 70, "it is not hastened");
  assert.equal(detector.delayMs("a", [paced], found.at + 100), 0, "a key that has waited runs");
  const foreign = { ...flips(found.at + 1), causes: [changed(box, "a", "foreign")] };
  detector.record("a", { ...foreign, at: found.at });
  assert.ok(detector.active("a"), "another writer's change does not end it");
  assert.equal(detector.delayMs("a", [changed(box, "a", found.at + 1)], found.at), 100);
  assert.equal(
    play(detector, 100, (i) => flips(found.at + i)),
    undefined,
    "it is named once",
  );
  assert.equal(detector.delayMs("a", [changed(box, "a", found.at + 100)], 100), 60_000);
});

test("a fight is found when each write brings a run that writes nothing", () => {
  const detector = new LoopDetector(manager);
  const echoed = (i: number): Played =>
    i % 2 ? fights(i) : { causes: [changed(part, "p", `ours ${i - 1}`)], writes: [] };
  const found = play(detector, 40, echoed)!;
  assert.equal(found.loop.by, "another");
  assert.ok(found.at > 20 && found.at < 30, `${found.at}`);
  detector.record("a", { ...echoed(found.at + 1), at: found.at + 1 });
  assert.equal(detector.delayMs("a", [changed(part, "p", "theirs")], found.at + 2), 100);
});

test("a fight is found when the own revision hides the other writer's", () => {
  const merged = (i: number): Played => ({
    causes: [{ ...changed(part, "p", `ours ${i - 1}`), times: 2 }],
    writes: [wrote(part, "p", `ours ${i}`, 1)],
  });
  assert.equal(play(new LoopDetector(manager), 30, merged)?.loop.by, "another");
});

test("progress is no loop for 1000 runs, and is not delayed; an endless counter is", () => {
  const detector = new LoopDetector(manager);
  const delayAfter = (runs: number): number =>
    detector.delayMs("a", [changed(box, "a", runs)], 1000);
  const count = (from: number, to: number) => play(detector, to - from, (i) => countsUp(from + i));
  assert.equal(count(0, 1000), undefined);
  assert.equal(delayAfter(1000), 0);
  assert.equal(detector.active("a"), undefined);
  assert.equal(count(1000, 1050)?.at, 1, "an endless counter is named");
  count(1050, 1100);
  assert.equal(detector.delayMs("a", [changed(box, "a", 1100)], 50), 1000);
});

test("values that differ each time and do not grow are a loop after 300 runs", () => {
  const randomly = (i: number): Played => ({
    causes: [changed(box, "a", i - 1)],
    writes: [wrote(box, "a", i, (i * 7919) % 10_007)],
  });
  assert.equal(play(new LoopDetector(manager), 400, randomly)?.at, 301);
});

test("writes that come back through other keys are a loop, sooner where values come back", () => {
  for (const [values, most] of [
    [2, 30],
    [1000, 105],
  ] as const) {
    const isOurs = ({ resourceVersion }: RecordedCause) => resourceVersion !== "foreign";
    const detector = new LoopDetector(manager, { isOurs });
    const through = ["other of Box b"];
    const comes = (i: number): Played => ({
      causes: [changed(box, "a", `theirs ${i}`)],
      writes: [wrote(box, "b", i, i % values)],
      ...(i > 1 ? { returned: { visits: i, through } } : {}),
    });
    const found = play(detector, 200, comes)!;
    assert.deepEqual(found.loop, { by: "others", runs: found.at, wrote: ["Box spec.of"], through });
    assert.ok(found.at > 20 && found.at < most, `${found.at}`);
    const next = [changed(box, "a", "theirs")];
    detector.record("a", { causes: next, writes: [], at: found.at });
    assert.equal(detector.delayMs("a", next, found.at), 100, "an empty run does not end it");
    const paced = { ...detector.pacedCause(next), at: 0, times: 1 };
    assert.equal(paced.object, "x/v1/Box a", "the chain is followed over a delay");
    assert.equal(detector.delayMs("a", [changed(box, "a", "foreign")], found.at), 0);
    assert.ok(!detector.isActive("a", found.at + 10_001));
  }
});

test("a run that writes nothing, or that something else triggers, ends the count", () => {
  for (const breaks of [
    { causes: [changed(box, "a", 15)], writes: [] },
    { causes: [changed(box, "a", "foreign")], writes: [wrote(box, "a", 16, 0)] },
    { causes: [changed(part, "p", 1)], writes: [wrote(box, "a", 16, 0)] },
    { causes: [], writes: [wrote(box, "a", 16, 0)] },
  ]) {
    const detector = new LoopDetector(manager);
    assert.equal(
      play(detector, 30, (i) => (i === 16 ? breaks : flips(i))),
      undefined,
    );
  }
});

test("a write that changes nothing does not count", () => {
  const repeats = () => ({ causes: [changed(box, "a", 1)], writes: [wrote(box, "a", 1, 0)] });
  assert.equal(play(new LoopDetector(manager), 100, repeats), undefined);
});

test("a run that writes nothing ends a loop only where the loop has caused it, and no other is part of it", () => {
  const ends = (run: (i: number) => Played, causes: Played["causes"]): boolean => {
    const detector = new LoopDetector(manager, { isOurs: () => true });
    const found = play(detector, 200, run)!;
    detector.record("a", { causes, writes: [], at: found.at + 1 });
    return detector.active("a") === undefined;
  };
  const { at } = play(new LoopDetector(manager), 100, flips)!;
  assert.equal(ends(flips, [changed(box, "a", at)]), true);
  assert.equal(ends(flips, [changed(box, "a", "foreign")]), false);
  const through = ["other of Box b"];
  const comes = (i: number): Played => ({
    causes: [changed(box, "a", `theirs ${i}`)],
    writes: [wrote(box, "b", i, i % 2)],
    ...(i > 1 ? { returned: { visits: i, through } } : {}),
  });
  const returned = play(new LoopDetector(manager, { isOurs: () => true }), 200, comes)!;
  assert.equal(ends(comes, [changed(box, "b", returned.at)]), false, "of others");
  const fought = play(new LoopDetector(manager), 100, fights)!;
  assert.equal(ends(fights, [changed(part, "p", `ours ${fought.at}`)]), false, "of another");
});

test("a loop ends when the object rests for a time; the next one is named again", () => {
  const detector = new LoopDetector(manager);
  const { at } = play(detector, 100, flips)!;
  const next = [changed(box, "a", at)];
  assert.equal(detector.delayMs("a", next, at + 10_001), 0);
  detector.record("a", { ...flips(at + 1), at: at + 10_001 });
  assert.equal(detector.active("a"), undefined);
  const later = (i: number) => detector.record("a", { ...flips(i), at: 20_000 + i });
  const loops = Array.from({ length: 100 }, (_, i) => later(at + 2 + i)).filter(Boolean);
  assert.equal(loops.length, 1);
  assert.deepEqual(detector.active("a"), loops[0]);
  detector.forget("a");
  assert.equal(detector.active("a"), undefined);
  assert.ok(play(detector, 100, flips), "an object that is created again is named again");
});

test("a loop that ends and begins all the time is named every ten seconds", () => {
  const detector = new LoopDetector(manager);
  const named: number[] = [];
  for (let i = 1; i <= 25_000; i++) {
    const run = i % 50 ? flips(i) : { causes: [changed(box, "a", i - 1)], writes: [] };
    if (detector.record("a", { ...run, at: i })) named.push(i);
  }
  assert.equal(named.length, 3);
  assert.ok(named[1]! - named[0]! >= 10_000 && named[1]! - named[0]! < 10_100);
});

test("an object whose loop has ended is forgotten when another one runs", () => {
  const detector = new LoopDetector(manager);
  play(detector, 100, flips);
  detector.record("b", { ...flips(1), at: 20_000 });
  assert.equal(detector.size, 1);
});

test("what runs once in a while is no loop", () => {
  assert.equal(play(new LoopDetector(manager), 400, flips, 10_001), undefined);
  assert.equal(play(new LoopDetector(manager), 400, countsUp, 10_001), undefined);
});

test("prompt retries that do nothing new are a loop; retries that wait are none", () => {
  const retries = (retryAfterMs: number) => () => ({ causes: [again], writes: [], retryAfterMs });
  assert.deepEqual(play(new LoopDetector(manager), 100, retries(0))?.loop, {
    by: "itself",
    runs: 25,
    wrote: [],
  });
  assert.equal(play(new LoopDetector(manager), 100, retries(20)), undefined);
  const failing = () => ({ causes: [again], writes: [wrote(part, "p", Math.random(), 1)] });
  assert.equal(play(new LoopDetector(manager), 100, failing), undefined, "back-off is no loop");
});

test("retries at a high rate are a loop, whatever they write, and are held at one a second", () => {
  for (const writes of [[], [wrote(part, "p", 1, 1)], undefined]) {
    const retries = (i: number): Played => ({
      causes: [again],
      writes: writes ?? [wrote(part, "p", i, i)],
      retryAfterMs: 25,
    });
    const detector = new LoopDetector(manager);
    const found = play(detector, 200, retries, 30)!;
    assert.equal(found.at, 101);
    assert.deepEqual(found.loop.by, "retries");
    assert.equal(detector.delayMs("a", [again], 3040), 100);
    assert.equal(detector.delayMs("a", [changed(box, "a", "foreign")], 3040), 0);
    for (let i = 1; i < 40; i++) detector.record("a", { ...retries(100 + i), at: 3040 + i * 1000 });
    assert.equal(detector.delayMs("a", [again], 43_000), 1000);
    assert.ok(detector.active("a"));
    detector.record("a", { causes: [again], writes: [], retryAfterMs: 5000, at: 43_500 });
    assert.equal(detector.active("a"), undefined, "a longer delay ends it");
  }
});

test("a poll every half second, and soon retries between changes of others, are no loop", () => {
  const polls = () => ({ causes: [again], writes: [], retryAfterMs: 490 });
  assert.equal(play(new LoopDetector(manager), 400, polls, 501), undefined);
  const edited = (i: number): Played => ({
    causes: [i % 50 ? again : changed(box, "a", "foreign")],
    writes: [],
    retryAfterMs: 25,
  });
  assert.equal(play(new LoopDetector(manager), 400, edited, 30), undefined);
});

test("new objects that the next run deletes are a loop", () => {
  const found = play(new LoopDetector(manager), 100, (i) => ({
    causes: [{ ...changed(part, `p${i - 2}`, "deleted"), what: "Part deleted" }],
    writes: [wrote(part, `p${i}`, i, i), deleted(part, `p${i - 1}`)],
  }));
  assert.ok(found && found.at < 30);
  assert.deepEqual(found.loop.wrote, [`Part p${found.at}`, `Part p${found.at - 1} (deleted)`]);
});

test("another writer that undoes the same write is named with it, and both are slowed down", () => {
  const detector = new LoopDetector(manager);
  const { loop, at } = play(detector, 100, fights)!;
  assert.equal(at, 12);
  assert.deepEqual(loop, { by: "another", runs: 12, wrote: ["Part p"] });
  assert.equal(detector.delayMs("a", [changed(part, "p", "theirs 13")], at), 100);
  const failed = { ...again, what: "failed" };
  const withRetry = [failed, changed(part, "p", "theirs 13")];
  assert.equal(detector.delayMs("a", withRetry, at + 40), 60, "a failure does not hasten it");
  assert.equal(detector.delayMs("a", [failed], at + 40), 0, "its back-off is enough");
  assert.equal(detector.delayMs("a", [changed(box, "a", "theirs 13")], at), 0);
});

test("a writer that asks for something else each time undoes nothing", () => {
  const follows = (i: number): Played => ({
    causes: [changed(box, "a", `theirs ${i}`)],
    writes: [wrote(box, "a", `ours ${i}`, i % 2)],
  });
  assert.equal(play(new LoopDetector(manager), 400, follows), undefined);
});

test("the undoing of writes is also seen in more objects than are remembered whole", () => {
  const detector = new LoopDetector(manager);
  const loops = [];
  for (let i = 1; i <= 12; i++)
    for (let n = 0; n < 600; n++) {
      const causes = [changed(part, `p${n}`, `theirs ${i}`)];
      const loop = detector.record(`p${n}`, {
        causes,
        writes: [wrote(part, `p${n}`, `ours ${i}`, 1)],
        at: i,
      });
      if (loop) loops.push(loop);
    }
  assert.equal(loops.length, 600);
  assert.equal(loops[0]!.by, "another");
});

test("a compact write compares as the whole one", () => {
  const whole = wrote(part, "p", "7", 1);
  const bytes = new TextEncoder().encode(JSON.stringify(whole.object));
  for (const compact of [compactWrite(whole), compactWrite({ ...whole, bytes })])
    assert.deepEqual(compact.object, whole.object);
  assert.equal(compactWrite(deleted(part, "p")).object, undefined);
});

test("a compact write shares a text that is kept elsewhere", () => {
  const whole = wrote(part, "p", "7", 1);
  const shared = { ...whole.object, shared: true };
  const compact = compactWrite(whole, (write) =>
    write === whole ? JSON.stringify(shared) : undefined,
  );
  assert.deepEqual(compact.object, shared);
  assert.deepEqual(compactWrite(whole, () => undefined).object, whole.object);
});

test("an object that rests is forgotten when another one runs", () => {
  const detector = new LoopDetector(manager);
  const run = (name: string, at: number) =>
    detector.record(name, { causes: [], writes: [wrote(box, name, at, at)], at });
  for (let i = 0; i < 100; i++) run(`a${i}`, i);
  assert.equal(detector.size, 100);
  run("b", 10_050);
  assert.equal(detector.size, 51);
});
