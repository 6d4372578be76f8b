import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createAuthority } from "../../certificates/authority.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { holdsBundle, isIssuedBy, splitBundle, validityOf } from "./certificate-facts.ts";
import { createRecord, type PkiMaking, takeStep } from "./change-record.ts";
import { decidePki, type PkiFacts, type PkiLimits } from "./pki.machine.ts";
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

  test("serve each of their names, by DNS and by address, and no certificate that lacks one does", () => {
    const { record } = start();
    const { subjectAltName } = new X509Certificate(record.leaf.cert);
    assert.equal(subjectAltName, "DNS:hooks.kitchen.svc, IP Address:127.0.0.1");
    assert.equal(factsOf(record, names).leaf.isFit, true);
    for (const missing of ["other.svc", "127.0.0.2"])
      assert.equal(factsOf(record, [...names, missing]).leaf.isFit, false);
  });

  test("are looked at again at the moment when something is due", () => {
    const facts = {
      authority: { notBefore: 0, notAfter: 360 * day },
      leaf: { notBefore: 0, notAfter: 90 * day, isFit: true },
    };
    const due = (now: number, more: Partial<PkiFacts> = {}) =>
      decidePki({ facts: { ...facts, ...more }, now, limits, isPublished: true });
    assert.deepEqual(due(60 * day - 1000), { step: undefined, dueInMs: 1000 });
    assert.deepEqual(due(60 * day), { step: "issueLeaf" });
    const leaf = { notBefore: 200 * day, notAfter: 290 * day, isFit: true };
    assert.deepEqual(due(240 * day - 1500, { leaf }), { step: undefined, dueInMs: 1500 });
    assert.deepEqual(due(240 * day, { leaf }), { step: "introduceNext" });
    const next = { notBefore: 0, notAfter: 600 * day, since: 10 * day };
    assert.deepEqual(due(10 * day + hour - 3000, { next }), { step: undefined, dueInMs: 3000 });
    assert.deepEqual(due(10 * day + hour, { next }), { step: "promoteNext" });
    const previousUntil = 10 * day;
    assert.deepEqual(due(10 * day - 500, { previousUntil }), { step: undefined, dueInMs: 500 });
    assert.deepEqual(due(10 * day, { previousUntil }), { step: "dropPrevious" });
  });

  test("follow an authority after the short time when either of what is in use has expired", () => {
    const now = 300 * day;
    const next = { notBefore: 0, notAfter: 600 * day, since: now - 2000 };
    const good = { notBefore: 0, notAfter: 360 * day };
    const expired = { notBefore: 0, notAfter: 299 * day };
    for (const [authority, leaf] of [
      [good, expired],
      [expired, good],
    ] as const) {
      const facts = { authority, next, leaf: { ...leaf, isFit: true } };
      const { step } = decidePki({ facts, now, limits, isPublished: true });
      assert.equal(step, "promoteNext");
      const early = decidePki({ facts, now: now - 1, limits, isPublished: true });
      assert.notEqual(early.step, "promoteNext");
    }
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

  test("whose next authority is of no use get another one", () => {
    const { record, runtime, making } = start();
    const next = takeStep(record, "introduceNext", making).next!;
    for (const startMs of [-500 * day, 500 * day]) {
      const other = createVirtualRuntime({ startMs: runtime.clock.now() + startMs });
      const invalid = takeStep(record, "introduceNext", { ...making, runtime: other });
      assert.equal(decide(invalid, runtime.clock.now()).step, "introduceNext");
      const replaced = takeStep(invalid, "introduceNext", making);
      assert.notEqual(replaced.next!.cert, invalid.next!.cert);
      assert.equal(decide({ ...record, next }, runtime.clock.now()).step, undefined);
    }
  });

  test("keep the next authority and older ones that are still trusted", () => {
    const { record, making } = start();
    const introduce = (one: PkiRecord) => takeStep(one, "introduceNext", making);
    const promote = (one: PkiRecord) => takeStep(one, "promoteNext", making);
    const twice = promote(introduce(promote(introduce(record))));
    assert.equal(splitBundle(twice.previous!.bundle).length, 2);
    assert.ok(holdsBundle(bundleOf(twice), record.authority.cert), "the oldest left too early");
    const waiting = introduce(twice);
    const dropped = takeStep(waiting, "dropPrevious", making);
    assert.deepEqual([dropped.previous, dropped.next], [undefined, waiting.next]);
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
    const undated = (one: PkiRecord, name: string) =>
      parseRecord({ ...formatRecord(one), [name]: "bm93" });
    assert.deepEqual(undated(whole, "next-authority.since"), record);
    const { previous: _, ...bare } = old;
    assert.deepEqual(undated(old, "previous-authorities.until"), bare);
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

  test("keeps the last four authorities that sign no more", () => {
    const { record, making } = start();
    let last = record;
    const all = Array.from({ length: 6 }, () => {
      const { authority } = last;
      last = takeStep(takeStep(last, "introduceNext", making), "promoteNext", making);
      return authority.cert;
    });
    assert.deepEqual(splitBundle(last.previous!.bundle), all.slice(-4).toReversed());
  });

  test("is read by its certificates: what is none is left out, whatever ends its lines", () => {
    const { authority } = start().record;
    const none = "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n";
    assert.deepEqual(splitBundle(`${none}${authority.cert.trimEnd()}`), [authority.cert]);
  });

  test("made anew goes on trusting what caBundles hold", () => {
    const { record, making } = start();
    const anew = createRecord(making, `rubbish ${bundleOf(record)}`);
    assert.ok(bundleOf(anew).includes(record.authority.cert));
    assert.ok(!isIssuedBy(anew.leaf.cert, record.authority.cert));
  });
});
