import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createAuthority } from "../../certificates/authority.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { holdsBundle, isIssuedBy, splitBundle, validityOf } from "./certificate-facts.ts";
import { createRecord, type PkiMaking, takeStep } from "./change-record.ts";
import { decidePki, type PkiLimits } from "./pki.machine.ts";
import { bundleOf, factsOf, formatRecord, parseRecord, type PkiRecord } from "./pki-record.ts";

const hour = 3_600_000;
const day = 24 * hour;
const limits: PkiLimits = {
  authorityMs: 360 * day,
  leafMs: 90 * day,
  overlapMs: hour,
  settleMs: 2000,
};
const names = ["hooks.kitchen.svc", "127.0.0.1"];

function start(own: PkiLimits = limits) {
  const runtime = createVirtualRuntime();
  const making: PkiMaking = { runtime, limits: own, names };
  return { runtime, making, record: createRecord(making, "") };
}

const decide = (record: PkiRecord, now: number, isPublished = true) =>
  decidePki({ facts: factsOf(record, names), now, limits, isPublished });

describe("certificates of webhooks", () => {
  test("are left alone while they are young, and looked at again in ten minutes", () => {
    const { record, runtime } = start();
    assert.deepEqual(decide(record, runtime.clock.now()), { step: undefined, dueInMs: 600_000 });
  });

  test("are issued anew when a third of their life is left, or names are missing", () => {
    const { record, runtime } = start();
    const now = runtime.clock.now();
    assert.equal(decide(record, now + 59 * day).step, undefined);
    assert.equal(decide(record, now + 61 * day).step, "issueLeaf");
    const facts = factsOf(record, ["other.svc"]);
    assert.equal(decidePki({ facts, now, limits, isPublished: true }).step, "issueLeaf");
  });

  test("are of an authority that can sign: another pair in its place is no record", () => {
    const { record, runtime } = start();
    const foreign = createAuthority({ runtime });
    for (const authority of [record.leaf, { ...record.authority, key: foreign.key }])
      assert.equal(parseRecord(formatRecord({ ...record, authority })), undefined);
    const next = { ...record.leaf, since: 0 };
    assert.equal(parseRecord(formatRecord({ ...record, next }))?.next, undefined);
    assert.deepEqual(parseRecord(formatRecord(record)), record);
  });

  test("follow an authority that was published for the overlap before it signs", async () => {
    const { record, runtime, making } = start();
    await runtime.advance(250 * day);
    assert.equal(decide(record, runtime.clock.now()).step, "introduceNext");
    const published = takeStep(record, "introduceNext", making);
    assert.deepEqual(splitBundle(bundleOf(published)).length, 2);
    const withLeaf = takeStep(published, "issueLeaf", making);
    assert.ok(
      isIssuedBy(withLeaf.leaf.cert, record.authority.cert),
      "signed by the next too early",
    );
    const at = (ms: number, isPublished = true) =>
      decide(withLeaf, runtime.clock.now() + ms, isPublished).step;
    assert.equal(at(hour - 1), undefined);
    assert.equal(at(hour), "promoteNext");
    assert.equal(at(hour, false), undefined, "a caBundle lacks it");
    await runtime.advance(hour);
    const promoted = takeStep(withLeaf, "promoteNext", making);
    assert.ok(isIssuedBy(promoted.leaf.cert, published.next!.cert));
    assert.ok(holdsBundle(bundleOf(promoted), bundleOf(published)), "the old one left too early");
    assert.equal(decide(promoted, runtime.clock.now() + hour).step, "dropPrevious");
    assert.equal(splitBundle(bundleOf(takeStep(promoted, "dropPrevious", making))).length, 1);
  });

  test("that expired together are replaced without the overlap, and still in that order", () => {
    const { record, runtime, making } = start();
    const late = runtime.clock.now() + 400 * day;
    assert.equal(decide(record, late).step, "introduceNext");
    const future = createVirtualRuntime({ startMs: late });
    const next = takeStep(record, "introduceNext", { ...making, runtime: future });
    assert.equal(decide(next, late, false).step, undefined);
    assert.equal(decide(next, late + 1999).step, undefined);
    assert.equal(decide(next, late + 2000).step, "promoteNext");
  });

  test("that end with their authority are not issued over and over", async () => {
    const { record, runtime, making } = start();
    await runtime.advance(300 * day);
    const published = takeStep(record, "introduceNext", making);
    const last = takeStep(published, "issueLeaf", making);
    assert.equal(validityOf(last.leaf.cert)!.notAfter, validityOf(record.authority.cert)!.notAfter);
    const stuck = runtime.clock.now() + 59 * day;
    const facts = factsOf(last, names);
    assert.deepEqual(decidePki({ facts, now: stuck, limits, isPublished: false }), {
      step: undefined,
      dueInMs: 600_000,
    });
    const unfit = { ...facts, leaf: { ...facts.leaf, isFit: false } };
    const { step } = decidePki({ facts: unfit, now: stuck, limits, isPublished: false });
    assert.equal(step, "issueLeaf");
  });

  test("of the authority before are trusted until all processes serve with the next", () => {
    const { record, runtime, making } = start({ ...limits, overlapMs: 1 });
    const introduced = takeStep(record, "introduceNext", making);
    const { previous } = takeStep(introduced, "promoteNext", making);
    assert.equal(previous?.until, runtime.clock.now() + 3 * limits.settleMs);
  });

  test("of the future are replaced: the clock was set back", () => {
    const { record, runtime } = start();
    assert.equal(decide(record, runtime.clock.now() - 30 * day).step, "introduceNext");
  });

  test("never outlive their authority, and never sign unpublished, whenever one looks", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(200 * 24), fc.boolean()), { maxLength: 12 }), (plan) => {
        const { making: first, record: initial } = start();
        let record = initial;
        let now = first.runtime.clock.now();
        let published = bundleOf(record);
        for (const [hours, publishes] of plan) {
          now += hours * hour;
          if (publishes) published = bundleOf(record);
          const isPublished = holdsBundle(published, bundleOf(record));
          const { step } = decide(record, now, isPublished);
          if (step === undefined) continue;
          const runtime = createVirtualRuntime({ startMs: now });
          record = takeStep(record, step, { ...first, runtime });
          const { leaf, authority } = record;
          assert.ok(isIssuedBy(leaf.cert, authority.cert));
          assert.ok(validityOf(leaf.cert)!.notAfter <= validityOf(authority.cert)!.notAfter);
          assert.ok(published.includes(authority.cert), "signs and is in no caBundle");
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe("a person who asks for a new authority", () => {
  test("gets one at once, also in place of one that does not sign yet", () => {
    const { record, runtime, making } = start();
    const asked = (one: PkiRecord) =>
      decidePki({
        facts: factsOf(one, names),
        now: runtime.clock.now(),
        limits,
        isPublished: false,
        isAsked: true,
      }).step;
    assert.equal(asked(record), "introduceNext");
    const waiting = takeStep(record, "introduceNext", making);
    assert.equal(asked(waiting), "introduceNext");
    const again = takeStep(waiting, "introduceNext", making);
    assert.notEqual(again.next!.key, waiting.next!.key);
    assert.equal(again.leaf, record.leaf);
  });
});

describe("the Secret", () => {
  test("holds all of it, and nothing else is a record", () => {
    const { record, making } = start();
    const whole = takeStep(record, "introduceNext", making);
    assert.deepEqual(parseRecord(formatRecord(whole)), whole);
    const old = takeStep(whole, "promoteNext", making);
    assert.deepEqual(parseRecord(formatRecord(old)), old);
    const data = formatRecord(record);
    for (const wrong of [
      undefined,
      {},
      { ...data, "tls.key": "bm9uc2Vuc2U=" },
      { ...data, "authority.key": formatRecord(start().record)["tls.key"]! },
      { ...data, "authority.crt": "" },
      { ...data, "tls.crt": 7 as never },
    ])
      assert.equal(parseRecord(wrong), undefined);
  });

  test("made anew goes on trusting what caBundles hold", () => {
    const { record, making } = start();
    const anew = createRecord(making, `rubbish ${bundleOf(record)}`);
    assert.ok(bundleOf(anew).includes(record.authority.cert));
    assert.ok(!isIssuedBy(anew.leaf.cert, record.authority.cert));
  });
});
