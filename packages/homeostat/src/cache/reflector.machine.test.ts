// The reflector's decisions as plays: inputs in, phases and effects out. And its one promise: it
// never stops for good.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { freshnessDeadline, freshnessOf } from "./freshness.ts";
import { reflectorDeadline } from "./reflector-deadline.ts";
import { stepReflector } from "./reflector.machine.ts";
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

  it("takes no step once it is stopped, and none that does not apply to its phase", () => {
    const inputs: readonly ReflectorInput[] = [
      { type: "start" },
      opened,
      { type: "page", resourceVersion: "9", continue: "" },
      { type: "bookmark", resourceVersion: "9", initialEventsEnd: true },
      { type: "verified", resourceVersion: "6" },
      { type: "doubted" },
      failed("reset"),
      { type: "ended" },
      { type: "tick" },
      { type: "due" },
      { type: "distrust", reason: "differs" },
      { type: "widened" },
      { type: "stop" },
    ];
    const stopped = play([...synced, [30, { type: "stop" }]]).state;
    for (const input of inputs)
      assert.deepEqual(stepReflector(stopped, input, 1e6, limits), { state: stopped, effects: [] });
    const waiting = play([...synced, [30, failed("reset")]]).state;
    const watching = play(synced).state;
    for (const [state, type] of [
      [waiting, "start"],
      [waiting, "doubted"],
      [waiting, "distrust"],
      [waiting, "ended"],
      [waiting, "widened"],
      [watching, "start"],
      [watching, "due"],
    ] as const) {
      const input = { type, reason: "differs" } as ReflectorInput;
      assert.deepEqual(stepReflector(state, input, 40, limits).effects, [], `${type}`);
    }
    assert.deepEqual(stepReflector(waiting, failed("again"), 40, limits).state, waiting);
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
        "30 page: watching | replace 7 | watch 7 false 7000",
      ],
    );
  });

  it("falls back to pages where a server ignores sendInitialEvents", () => {
    const { trace } = play([
      start,
      [10, opened],
      [20, { type: "event", resourceVersion: "3" }],
      [5000, { type: "gained" }],
      [14_000, { type: "contact" }],
      [14_999, { type: "tick" }],
      [15_000, { type: "tick" }],
    ]);
    assert.deepEqual(trace.slice(-2), [
      "14999 tick: streaming",
      "15000 tick: listing | close | gather | list 500",
    ]);
  });

  it("falls back to pages where such a server creates objects all the time", () => {
    const busy = Array.from({ length: 60 }, (_, i) => [10 + 1000 * i, { type: "gained" }] as const);
    const { trace } = play([start, [10, opened], ...busy, [60_010, { type: "tick" }]]);
    assert.equal(trace.at(-1), "60010 tick: listing | close | gather | list 500");
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
      "3 failed: backoff | close | wait 0",
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
      "50 failed: backoff | close | wait 0",
      "900 due: watching | watch 12 false 1000",
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
      "30 failed: backoff | close | wait 0",
      "900 due: streaming | gather | watch true",
      "910 failed: backoff | close | wait 0",
      "3000 due: streaming | gather | watch true",
      "3010 failed: backoff | close | wait 0",
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

  it("tries in its turn, and more rarely once a kind alone has been refused for a minute", () => {
    const trying = (code: number, times: number): string => {
      const moves = Array.from({ length: times }, (_, i): readonly Move[] => [
        [1000 * i + 1, failed("no", { code })],
        [1000 * i + 500, { type: "due" }],
      ]).flat();
      return play([start, ...moves, [800_000, failed("no", { code })]]).trace.at(-1)!;
    };
    for (const code of [404, 403]) {
      assert.match(trying(code, 59), /wait 0$/);
      assert.match(trying(code, 60), /wait 2500$/);
    }
    for (const code of [401, 410, 429, 500, 503]) assert.match(trying(code, 80), /wait 0$/);
  });

  it("counts failures until a watch has delivered or has lived out its time", () => {
    const broken: readonly Move[] = [...synced, [30, failed("down")], [2000, { type: "due" }]];
    const again: readonly Move[] = [
      [2001, failed("down")],
      [4000, { type: "due" }],
      [4001, { type: "opened", timeoutMs: 7000 }],
    ];
    assert.equal(play([...broken, ...again]).state.failures, 2);
    for (const good of [
      [4002, { type: "event", resourceVersion: "9" }],
      [11_001, { type: "ended" }],
    ] as const)
      assert.equal(play([...broken, ...again, good]).state.failures, 0);
  });

  it("renews at once a watch that ended at its time, and waits after one that ended at once", () => {
    const resumed: readonly Move[] = [
      ...synced,
      [7020, { type: "tick" }],
      [7030, { type: "opened", timeoutMs: 7000 }],
    ];
    const { state, trace } = play([...resumed, [14_030, { type: "ended" }]]);
    assert.equal(trace.at(-1), "14030 ended: watching | close | watch 7 false 7000");
    assert.deepEqual([state.lostAt, state.failures], [undefined, 0]);
    assert.match(
      play([...resumed, [7200, { type: "ended" }]]).trace.at(-1)!,
      /backoff \| close \| wait 0$/,
    );
  });

  it("resumes at once where a watch has lived long enough, which is less with events", () => {
    const { state } = play([...synced, [7020, { type: "tick" }]]);
    const base: ReflectorState = { ...state, opened: true, openedAt: 10_000, timeoutMs: 60_000 };
    for (const [lived, delivered, next] of [
      [limits.firstMs - 1, true, "backoff 3"],
      [limits.firstMs, true, "watching 0"],
      [limits.healthyMs - 1, false, "backoff 3"],
      [limits.healthyMs, false, "watching 0"],
    ] as const) {
      const now = base.openedAt + lived;
      const ended = { ...base, delivered, failures: 2 };
      const after = stepReflector(ended, { type: "ended" }, now, limits).state;
      assert.equal(`${after.phase} ${after.failures}`, next, `${lived} ${delivered}`);
    }
  });

  it("counts the time without a watch from its first loss", () => {
    const { state } = play([...synced, [7020, { type: "tick" }]]);
    const base: ReflectorState = { ...state, opened: true, openedAt: 10_000, timeoutMs: 60_000 };
    const lostAt = (before?: number): number | undefined =>
      stepReflector({ ...base, lostAt: before }, { type: "ended" }, 15_000, limits).state.lostAt;
    assert.deepEqual([lostAt(), lostAt(12_000)], [15_000, 12_000]);
  });

  it("doubts the watch of a streamed list once it is quiet for 7 s: the server would end it late", () => {
    assert.equal(reflectorDeadline(play(synced).state, limits), 20 + limits.renewMs);
    assert.deepEqual(play([...synced, [7020, { type: "tick" }]]).trace.slice(-1), [
      "7020 tick: watching | close | watch 7 false 1000",
    ]);
  });

  it("forgets that a kind was refused once the server has delivered it", () => {
    const { state } = play([
      [0, { type: "start" }],
      [0, { type: "failed", fault: { message: "no kind", code: 404, futureRevision: false } }],
      [0, { type: "due" }],
      [0, { type: "bookmark", resourceVersion: "8", initialEventsEnd: true }],
      [limits.goneMs, { type: "ended" }],
    ]);
    assert.deepEqual([state.synced, state.resourceVersion], [true, "8"]);
  });

  it("counts watches that broke or fell silent, not those that ended in time or never began", () => {
    const restartsOf = (moves: readonly Move[]): number => play(moves).state.restarts;
    const again: readonly Move[] = [
      [6000, { type: "due" }],
      [6010, { type: "opened", timeoutMs: 7000 }],
    ];
    assert.equal(restartsOf(synced), 0);
    assert.equal(restartsOf([...synced, [5000, failed("reset")]]), 1);
    assert.equal(restartsOf([...synced, [5000, failed("reset")], ...again]), 1);
    const refused: Move = [6005, failed("connection refused")];
    assert.equal(restartsOf([...synced, [5000, failed("reset")], again[0]!, refused]), 1);
    const inTime: Move = [13_020, { type: "ended" }];
    assert.equal(restartsOf([...synced, [5000, failed("reset")], ...again, inTime]), 1);
    const silent: Move = [14_300, { type: "tick" }];
    assert.equal(restartsOf([...synced, [5000, failed("reset")], ...again, silent]), 2);
  });

  it("takes a watch that is not ended in time for blind, waits, and has the next prove itself", () => {
    const silent: readonly Move[] = [
      ...synced,
      [7020, { type: "tick" }],
      [7030, { type: "opened", timeoutMs: 1000 }],
      [8030, { type: "ended" }],
      [8040, { type: "opened", timeoutMs: 7000 }],
      [16_239, { type: "tick" }],
      [16_240, { type: "tick" }],
      [16_300, { type: "due" }],
      [16_310, { type: "opened", timeoutMs: 1000 }],
      [17_909, { type: "tick" }],
    ];
    assert.deepEqual(play(silent).trace.slice(-7), [
      "8030 ended: watching | close | watch 7 false 7000",
      "8040 opened: watching",
      "16239 tick: watching",
      "16240 tick: backoff | linger | close | wait 0 | doubt",
      "16300 due: watching | watch 7 false 1000",
      "16310 opened: watching",
      "17909 tick: watching",
    ]);
    assert.match(play([...silent, [17_910, { type: "tick" }]]).trace.at(-1)!, /backoff/);
    const proven = play([...silent, [17_310, { type: "ended" }]]);
    assert.equal(proven.state.suspectSince, undefined);
    assert.match(proven.trace.at(-1)!, /watch 7 false 7000$/);
  });

  it("is more patient with each watch that was given up and brings something late", () => {
    const late: ReflectorInput = { type: "late", lateMs: 500 };
    const proving = (times: number): readonly string[] => {
      let moves: readonly Move[] = [
        ...synced,
        [7020, { type: "tick" }],
        [7030, { type: "opened", timeoutMs: 1000 }],
      ];
      let at = 7030;
      for (let i = 0; i < times; i++) {
        const { state } = play(moves);
        at = reflectorDeadline(state, limits);
        moves = [...moves, [at, { type: "tick" }], [at + 100, late], [at + 200, { type: "due" }]];
        const life = Number(/ (\d+)$/.exec(play(moves).trace.at(-1)!)![1]);
        moves = [...moves, [at + 210, { type: "opened", timeoutMs: life }]];
      }
      return play(moves).trace.filter((line) => line.includes("watch 7"));
    };
    assert.deepEqual(
      proving(4).map((line) => line.split(" ").at(-1)),
      ["1000", "2000", "4000", "7000", "7000"],
    );
    const { state } = play(synced);
    const known = stepReflector(state, { type: "late", lateMs: 3000 }, 100, limits).state;
    assert.equal(known.patience, 2, "enough for 4 s at once");
  });

  it("takes a late watch that has delivered for alive, and one in time ends the patience", () => {
    const base: ReflectorState = {
      ...play(synced).state,
      isLong: false,
      patience: 2,
      openedAt: 1000,
      timeoutMs: 4000,
      activeAt: 5000,
      delivered: true,
    };
    const late = stepReflector(base, { type: "tick" }, 7400, limits);
    assert.deepEqual(
      [late.state.phase, late.state.failures, late.state.patience, late.state.suspectSince],
      ["watching", 0, 3, 5000],
    );
    const silent = stepReflector({ ...base, delivered: false }, { type: "tick" }, 7400, limits);
    assert.equal(silent.state.phase, "backoff");
    const ended = (at: number) => stepReflector(base, { type: "ended" }, at, limits).state.patience;
    assert.deepEqual([ended(5100), ended(5700)], [0, 2]);
  });

  it("lists anew after two events that cannot be read at one revision, and complains once", () => {
    const bad = failed("no event", { isUnreadable: true });
    const again = (at: number): readonly Move[] => [
      [at, bad],
      [at + 100, { type: "due" }],
      [at + 110, opened],
    ];
    const { trace } = play([...synced, ...again(100), [300, bad], [400, { type: "due" }]]);
    assert.deepEqual(trace.slice(-5), [
      "100 failed: backoff | close | wait 0",
      "200 due: watching | watch 7 false 1000",
      "210 opened: watching",
      "300 failed: backoff | close | wait 0 | complain listing anew, since an event could not be read twice at revision 7: no event",
      "400 due: streaming | gather | watch true",
    ]);
    const stream = play([...synced, ...again(100), ...again(300), ...again(500)]);
    assert.deepEqual(stream.trace.slice(-3), [
      "500 failed: backoff | close | wait 0",
      "600 due: listing | gather | list 500",
      "610 opened: listing",
    ]);
    const moved: Move = [220, { type: "event", resourceVersion: "9" }];
    assert.equal(play([...synced, ...again(100), moved, [300, bad]]).state.next, "resume");
  });

  it("says that the server was restored when it lists an earlier revision, or counts from one", () => {
    const relisted = (revision: string, ...before: Move[]): string =>
      play([
        ...synced,
        ...before,
        [3010, opened],
        [3020, { type: "bookmark", resourceVersion: revision, initialEventsEnd: true }],
      ]).trace.at(-1)!;
    const gone: readonly Move[] = [
      [30, failed("too old", { code: 410 })],
      [3000, { type: "due" }],
    ];
    assert.match(relisted("6", ...gone), /replace 6 true$/);
    assert.match(relisted("7", ...gone), /replace 7$/);
    assert.match(relisted("8", ...gone), /replace 8$/);
    assert.match(relisted("opaque", ...gone), /replace opaque$/, "which cannot be compared");
    assert.match(
      relisted("8", [30, { type: "verified", resourceVersion: "6" }]),
      /replace 8 true$/,
    );
    const future = failed("too large", { code: 504, futureRevision: true });
    assert.match(relisted("8", [30, future], [3000, { type: "due" }]), /replace 8 true$/);
  });

  it("refuses a list whose continue token comes again", () => {
    const page = (token: string): ReflectorInput => ({
      type: "page",
      resourceVersion: "7",
      continue: token,
    });
    const paged: readonly Move[] = [start, [10, failed("no", { code: 422 })], [20, page("a")]];
    const { state, trace } = play([...paged, [30, page("b")], [40, page("a")]]);
    assert.equal(trace.at(-1), "40 failed: backoff | close | wait 0".replace("failed", "page"));
    assert.match(state.lastError!, /same continue token again/);
    const anew = play([...paged, [30, page("a")], [900, { type: "due" }], [910, page("a")]]);
    assert.match(anew.trace.at(-1)!, /listing \| list 500 a$/, "each list has tokens of its own");
  });

  it("has a quiet watch prove itself when another one was blind", () => {
    const doubted = play([...synced, [1500, { type: "doubted" }]]);
    assert.match(doubted.trace.at(-1)!, /close \| watch 7 false 1000$/);
    const busy: Move = [1400, { type: "event", resourceVersion: "9" }];
    assert.equal(
      play([...synced, busy, [1500, { type: "doubted" }]]).trace.at(-1),
      "1500 doubted: watching",
    );
  });

  it("asks a server that was away what it counts, and lists anew when that is less", () => {
    const back: readonly Move[] = [
      ...synced,
      [30, failed("reset", { isDisconnected: true })],
      [900, { type: "due" }],
      [910, opened],
    ];
    assert.equal(play(back).trace.at(-1), "910 opened: watching | verify");
    assert.equal(
      play([...back, [920, { type: "verified", resourceVersion: "7" }]]).trace.at(-1),
      "920 verified: watching",
    );
    const restored = play([...back, [920, { type: "verified", resourceVersion: "6" }]]);
    assert.match(restored.trace.at(-1)!, /streaming \| close \| gather \| watch true$/);
    assert.match(restored.state.lastError!, /counts revisions from 6, before 7: it was restored/);
    const soon: readonly Move[] = [
      [1000, failed("reset", { isDisconnected: true })],
      [1900, { type: "due" }],
      [1910, opened],
    ];
    assert.equal(play([...back, ...soon]).trace.at(-1), "1910 opened: watching", "not that often");
    const { trace } = play([...back, ...soon, [2909, { type: "tick" }], [2910, { type: "tick" }]]);
    assert.deepEqual(trace.slice(-2), ["2909 tick: watching", "2910 tick: watching | verify"]);
  });

  it("asks until it is answered, and then no more", () => {
    const back: readonly Move[] = [
      ...synced,
      [30, failed("reset", { isDisconnected: true })],
      [900, { type: "due" }],
      [910, { type: "opened", timeoutMs: 60_000 }],
      [2910, { type: "tick" }],
      [4910, { type: "tick" }],
    ];
    const { trace } = play(back);
    assert.deepEqual(trace.slice(-2), [
      "2910 tick: watching | verify",
      "4910 tick: watching | verify",
    ]);
    const answered = play([
      ...back,
      [4920, { type: "verified", resourceVersion: "7" }],
      [6910, { type: "tick" }],
    ]);
    assert.equal(answered.trace.at(-1), "6910 tick: watching");
  });

  it("asks as well when a watch has ended at its time without the bookmark that comes before", () => {
    const { trace } = play([
      ...synced,
      [7020, { type: "tick" }],
      [7030, { type: "opened", timeoutMs: 1000 }],
      [8030, { type: "ended" }],
      [8040, { type: "opened", timeoutMs: 7000 }],
      [15_040, { type: "ended" }],
      [15_050, { type: "opened", timeoutMs: 7000 }],
    ]);
    assert.equal(trace.at(-1), "15050 opened: watching | verify");
  });

  it("gives an unanswered watch 2.5 s, and a slow server more by and by", () => {
    const waits = (failures: number): number => {
      let moves: readonly Move[] = synced;
      for (let i = 0; i < failures; i++)
        moves = [...moves, [1000 + i, failed("x")], [1000 + i, { type: "due" }]];
      const { state } = play(moves);
      return reflectorDeadline(state, limits) - state.activeAt;
    };
    assert.deepEqual(
      [1, 15, 16, 32, 48, 80].map(waits),
      [2500, 2500, 5000, 10_000, 20_000, 30_000],
    );
    const suspect = { ...play(synced).state, opened: false, failures: 40, suspectSince: 5 };
    assert.equal(reflectorDeadline(suspect, limits), suspect.activeAt + 7000, "after silence");
  });

  it("ends a watch that the server forgot to end, though events flow", () => {
    const busy: readonly Move[] = Array.from(
      { length: 5 },
      (_, i) => [60_000 * (i + 1), { type: "event", resourceVersion: String(10 + i) }] as const,
    );
    const { trace } = play([
      ...synced.slice(0, 1),
      [10, { type: "opened", timeoutMs: 330_000 }],
      synced[2]!,
      ...busy,
      [331_210, { type: "event", resourceVersion: "15" }],
      [331_211, { type: "tick" }],
    ]);
    assert.match(trace.at(-1)!, /watching \| close \| watch 15 false 7000$/);
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

  it("is unready within the stated times: 8 s without a watch, at once after one that was blind", () => {
    const lost: readonly Move[] = [...synced, [1000, failed("connection refused")]];
    assert.deepEqual(judge(lost, 8999), [true, ""]);
    assert.deepEqual(judge(lost, 9000), [
      false,
      "no watch for 8 s (limit 8 s): connection refused",
    ]);
    const blind: readonly Move[] = [
      ...synced,
      [7020, { type: "tick" }],
      [7030, { type: "opened", timeoutMs: 1000 }],
      [8630, { type: "tick" }],
    ];
    assert.deepEqual(judge(blind, 8631), [
      false,
      "no watch for 8 s (limit 8 s): a watch fell silent: no data for 9 s, and no end in time",
    ]);
    const reopened: readonly Move[] = [
      ...blind,
      [8700, { type: "due" }],
      [8710, { type: "opened", timeoutMs: 1000 }],
    ];
    assert.equal(judge(reopened, 10_290)[0], false, "open alone proves nothing");
    assert.equal(judge([...reopened, [9710, { type: "ended" }]], 9720)[0], true);
  });

  it("is unready after 85 s without a word on a long watch", () => {
    const long = { ...play(synced).state, isLong: false };
    assert.equal(freshnessOf(long, 85_020, 0, limits).ready, true);
    assert.equal(
      freshnessOf(long, 86_000, 0, limits).reason,
      "no data from the server for 85 s (limit 85 s)",
    );
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
  fc.constant<ReflectorInput>({ type: "opened", timeoutMs: 7000 }),
  fc.constantFrom<ReflectorInput>({ type: "contact" }, { type: "gained" }, { type: "doubted" }),
  fc.constant<ReflectorInput>({ type: "verified", resourceVersion: "6" }),
  fc.constant<ReflectorInput>({ type: "late", lateMs: 2500 }),
  fc.constant<ReflectorInput>(failed("no event", { isUnreadable: true })),
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
            if (effect.do === "wait") assert.ok(effect.ms === 0 || effect.ms === limits.absentMs);
        }
      }),
      { numRuns: 300 },
    );
  });
});
