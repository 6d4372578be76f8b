// The reflector's decisions as plays: inputs in, phases and effects out. And its one promise: it
// never stops for good.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { freshnessDeadline, freshnessOf } from "./freshness.ts";
import { reflectorDeadline, stepReflector } from "./reflector.machine.ts";
import {
  idleReflector,
  reflectorDefaults as limits,
  type ReflectorEffect,
  type ReflectorInput,
  type ReflectorState,
} from "./reflector-state.ts";

type Move = readonly [atMs: number, input: ReflectorInput];

const start: Move = [0, { type: "start" }];
const opened: ReflectorInput = { type: "opened", timeoutMs: 300_000 };
const synced: readonly Move[] = [
  start,
  [10, opened],
  [20, { type: "bookmark", resourceVersion: "7", initialEventsEnd: true }],
];
const failed = (message: string, rest: object = {}): ReflectorInput => ({
  type: "failed",
  fault: { message, ...rest },
});

/** Plays moves; the trace shows each input with the phase and effects that follow. */
function play(moves: readonly Move[]): {
  readonly state: ReflectorState;
  readonly trace: readonly string[];
} {
  let state = idleReflector();
  const trace: string[] = [];
  for (const [now, input] of moves) {
    const step = stepReflector(state, input, now, limits);
    state = step.state;
    trace.push(
      [`${now} ${input.type}: ${state.phase}`, ...step.effects.map(showEffect)].join(" | "),
    );
  }
  return { state, trace };
}

function showEffect(effect: ReflectorEffect): string {
  const { do: name, ...rest } = effect;
  return [name, ...Object.values(rest).filter((value) => value !== undefined && value !== "")].join(
    " ",
  );
}

describe("stepReflector", () => {
  it("streams the first list, then watches", () => {
    assert.deepEqual(play([...synced, [30, { type: "event", resourceVersion: "9" }]]).trace, [
      "0 start: streaming | gather | watch true",
      "10 opened: streaming",
      "20 bookmark: watching | replace 7",
      "30 event: watching",
    ]);
  });

  it("falls back to pages where the server refuses to stream, then watches from the list's revision", () => {
    assert.deepEqual(
      play([
        start,
        [10, failed("sendInitialEvents is forbidden", { code: 422 })],
        [20, { type: "page", resourceVersion: "7", continue: "more" }],
        [30, { type: "page", resourceVersion: "7", continue: "" }],
      ]).trace,
      [
        "0 start: streaming | gather | watch true",
        "10 failed: listing | close | gather | list 500",
        "20 page: listing | list 500 more",
        "30 page: watching | replace 7 | watch 7 false",
      ],
    );
  });

  it("falls back to pages where a server ignores sendInitialEvents", () => {
    const { trace } = play([
      start,
      [10, opened],
      [20, { type: "event", resourceVersion: "3" }],
      [10_019, { type: "tick" }],
      [10_020, { type: "tick" }],
    ]);
    assert.deepEqual(trace.slice(-2), [
      "10019 tick: streaming",
      "10020 tick: listing | close | gather | list 500",
    ]);
  });

  it("lists all at once after the pages have expired", () => {
    const { trace } = play([
      start,
      [1, failed("no", { code: 400 })],
      [2, { type: "page", resourceVersion: "7", continue: "more" }],
      [3, failed("expired", { code: 410 })],
      [900, { type: "due" }],
    ]);
    assert.deepEqual(trace.slice(-2), [
      "3 failed: backoff | close | wait 800",
      "900 due: listing | gather | list 0",
    ]);
  });

  it("resumes from the last revision after a broken stream, also from a bookmark's", () => {
    const { trace } = play([
      ...synced,
      [30, { type: "event", resourceVersion: "9" }],
      [40, { type: "bookmark", resourceVersion: "12", initialEventsEnd: false }],
      [50, failed("reset")],
      [900, { type: "due" }],
    ]);
    assert.deepEqual(trace.slice(-3), [
      "40 bookmark: watching | progress 12",
      "50 failed: backoff | close | wait 800",
      "900 due: watching | watch 12 false",
    ]);
  });

  it("lists again on 410 only, and never at once", () => {
    const gone = failed("too old", { code: 410 });
    const { trace } = play([
      ...synced,
      [30, gone],
      [900, { type: "due" }],
      [910, gone],
      [3000, { type: "due" }],
      [3010, gone],
    ]);
    assert.deepEqual(trace.slice(-5), [
      "30 failed: backoff | close | wait 800",
      "900 due: streaming | gather | watch true",
      "910 failed: backoff | close | wait 1600",
      "3000 due: streaming | gather | watch true",
      "3010 failed: backoff | close | wait 3200",
    ]);
  });

  it("lists again when the server's revision is older", () => {
    assert.equal(
      play([...synced, [30, failed("too large", { code: 504, futureRevision: true })]]).state.next,
      "relist",
    );
  });

  it("waits as long as the server asks", () => {
    assert.match(
      play([...synced, [30, failed("busy", { code: 429, retryAfterMs: 7000 })]]).trace.at(-1)!,
      /wait 7000$/,
    );
  });

  it("retries a kind that is not served at least every ten seconds", () => {
    const absent = failed("no such kind", { code: 404 });
    const moves = Array.from(
      { length: 12 },
      (_, i) =>
        [
          [60_000 * i + 1, absent] as const,
          [60_000 * i + 30_000, { type: "due" }] as const,
        ] as const,
    ).flat();
    assert.match(play([start, ...moves, [800_000, absent]]).trace.at(-1)!, /wait 10000$/);
  });

  it("starts from the first wait after any success", () => {
    const again: readonly Move[] = [2, 4, 8]
      .map((second) => [second * 1000, { type: "due" }] as const)
      .flatMap((due) => [due, [due[0] + 1, failed("down")] as const]);
    const { state } = play([...synced, [30, failed("down")], ...again]);
    assert.equal(state.failures, 4);
    const recovered: readonly Move[] = [
      [20_000, { type: "due" }],
      [20_001, opened],
      [20_002, { type: "event", resourceVersion: "9" }],
      [20_003, failed("down")],
    ];
    assert.match(
      play([...synced, [30, failed("down")], ...again, ...recovered]).trace.at(-1)!,
      /wait 800$/,
    );
  });

  it("reopens at once a watch that ended in order after it lived, and waits after one that did not", () => {
    assert.match(
      play([...synced, [300_000, { type: "ended" }]]).trace.at(-1)!,
      /watching \| close \| watch 7 false$/,
    );
    assert.match(
      play([...synced, [25, { type: "ended" }]]).trace.at(-1)!,
      /backoff \| close \| wait 800$/,
    );
  });

  it("ends a silent watch by its own deadline", () => {
    assert.equal(reflectorDeadline(play(synced).state, limits), 20 + limits.idleMs);
    assert.match(
      play([...synced, [75_020, { type: "tick" }], [76_000, { type: "due" }]]).trace.at(-1)!,
      /watching \| watch 7 false$/,
    );
  });

  it("ends a watch that the server forgot to end, though events flow", () => {
    const busy: readonly Move[] = Array.from(
      { length: 6 },
      (_, i) => [60_000 * (i + 1), { type: "event", resourceVersion: String(10 + i) }] as const,
    );
    const { trace } = play([
      ...synced.slice(0, 1),
      [10, { type: "opened", timeoutMs: 330_000 }],
      synced[2]!,
      ...busy,
      [360_011, { type: "tick" }],
    ]);
    assert.match(trace.at(-1)!, /watching \| close \| watch 15 false$/);
  });
});

describe("freshnessOf", () => {
  const judge = (moves: readonly Move[], now: number): readonly [boolean, string] => {
    const { ready, reason } = freshnessOf(play(moves).state, now, 0, limits);
    return [ready, reason];
  };

  it("is unready before the first list, with a reason", () => {
    assert.deepEqual(judge([start, [10, failed("forbidden", { code: 403 })]], 20), [
      false,
      "the first list is not complete: forbidden",
    ]);
  });

  it("is unready after 30 s without a watch, or 85 s without an event", () => {
    const lost: readonly Move[] = [...synced, [1000, failed("connection refused")]];
    assert.deepEqual(judge(lost, 30_999), [true, ""]);
    assert.deepEqual(judge(lost, 31_000), [
      false,
      "no watch for 30 s (limit 30 s): connection refused",
    ]);
    assert.deepEqual(judge(synced, 85_020), [true, ""]);
    assert.deepEqual(judge(synced, 86_000), [
      false,
      "no data from the server for 85 s (limit 85 s)",
    ]);
  });

  it("does not trust a watch that opens and breaks again and again", () => {
    let moves: readonly Move[] = [...synced, [1000, failed("reset")]];
    for (let at = 2000; at < 40_000; at += 1000)
      moves = [...moves, [at, { type: "due" }], [at + 1, opened], [at + 2, failed("reset")]];
    assert.equal(judge(moves, 40_000)[0], false);
  });

  it("returns the time of the next evaluation", () => {
    assert.equal(freshnessDeadline(play(synced).state, 30, limits), 20 + limits.silentMs);
    assert.equal(
      freshnessDeadline(play([...synced, [1000, failed("x")]]).state, 1000, limits),
      1000 + limits.unreadyMs,
    );
  });
});

const input: fc.Arbitrary<ReflectorInput> = fc.oneof(
  fc.constant(opened),
  fc.constant<ReflectorInput>({ type: "contact" }),
  fc.record({
    type: fc.constant("page" as const),
    resourceVersion: fc.constantFrom("5", "6"),
    continue: fc.constantFrom("", "more"),
  }),
  fc.record({ type: fc.constant("event" as const), resourceVersion: fc.constantFrom("7", "8") }),
  fc.record({
    type: fc.constant("bookmark" as const),
    resourceVersion: fc.constantFrom("8", "9"),
    initialEventsEnd: fc.boolean(),
  }),
  fc
    .record({
      code: fc.constantFrom(undefined, 400, 401, 403, 404, 410, 422, 429, 500, 503),
      futureRevision: fc.boolean(),
    })
    .map(({ code, futureRevision }) =>
      failed("fault", code === undefined ? {} : { code, futureRevision }),
    ),
  fc.constant<ReflectorInput>({ type: "ended" }),
  fc.constant<ReflectorInput>({ type: "tick" }),
  fc.constant<ReflectorInput>({ type: "distrust", reason: "differs" }),
  fc.constant<ReflectorInput>({ type: "due" }),
);

describe("stepReflector, for any faults", () => {
  it("always has a request under way or a wait that ends, and keeps its set and its revision", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(90_000), input), { maxLength: 60 }), (moves) => {
        let state = stepReflector(idleReflector(), { type: "start" }, 0, limits).state;
        let now = 0;
        let waiting = false;
        for (const [after, move] of moves) {
          now += after;
          const before = state;
          const step = stepReflector(state, move, now, limits);
          state = step.state;
          const does = step.effects.map((effect) => effect.do);
          if (does.includes("wait")) waiting = true;
          if (does.includes("watch") || does.includes("list")) waiting = false;
          assert.equal(waiting, state.phase === "backoff", "waiting and only waiting in back-off");
          if (state.phase !== "backoff")
            assert.ok(reflectorDeadline(state, limits) < Infinity, "every request has a deadline");
          if (before.synced) assert.ok(state.synced && state.resourceVersion !== undefined);
          for (const effect of step.effects)
            if (effect.do === "wait")
              assert.ok(effect.ms >= limits.firstMs && effect.ms <= limits.maxMs);
        }
      }),
      { numRuns: 300 },
    );
  });
});
