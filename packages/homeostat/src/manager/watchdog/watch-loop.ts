// What the watchdog's thread runs. It is sent to the thread as text, so that there is no file to be
// found: in the sources, in the published package and in a user's bundle alike. Hence it uses
// nothing of this module, and has no functions inside, which bundlers wrap.

/** What the thread is given. */
export interface WatchLoopData {
  readonly memory: SharedArrayBuffer;
  /** The loop is blocked when it has not turned for so long. */
  readonly afterMs: number;
  readonly everyMs: number;
  /** As in shared-heartbeat.ts. */
  readonly layout: {
    readonly places: Readonly<
      Record<"beat" | "current" | "running" | "seen" | "said" | "stop" | "lengths", number>
    >;
    readonly slots: number;
    readonly textBytes: number;
    readonly textsAt: number;
  };
}

/** Says once on stderr, by itself, when the loop of the main thread is blocked. */
export function watchLoop(): void {
  const { workerData } = process.getBuiltinModule("node:worker_threads");
  const { writeSync } = process.getBuiltinModule("node:fs");
  const { memory, afterMs, everyMs, layout } = workerData as WatchLoopData;
  const { places, slots, textBytes, textsAt } = layout;
  const numbers = new Int32Array(memory, 0, places.lengths + slots);
  const texts = Buffer.from(memory, textsAt);
  let beat = Atomics.load(numbers, places.beat);
  let lookedAt = Number(process.hrtime.bigint()) / 1e6;
  let since = lookedAt;
  let hasSaid = false;
  while (Atomics.load(numbers, places.stop) === 0) {
    Atomics.wait(numbers, places.stop, 0, everyMs);
    const now = Number(process.hrtime.bigint()) / 1e6;
    // The whole process stood still, or had no processor.
    const stoodStill = now - lookedAt > 2 * everyMs + 500;
    lookedAt = now;
    const next = Atomics.load(numbers, places.beat);
    if (next !== beat || stoodStill) {
      beat = next;
      since = now;
      hasSaid = false;
      continue;
    }
    if (hasSaid || now - since < afterMs) continue;
    hasSaid = true;
    const current = Atomics.load(numbers, places.current) - 1;
    const running = Atomics.load(numbers, places.running);
    const named = [];
    for (let slot = 0; slot < slots; slot++) {
      const length = Atomics.load(numbers, places.lengths + slot);
      const from = slot * textBytes;
      if (length > 0 && (current < 0 || slot === current) && named.length < 3)
        named.push(texts.toString("utf8", from, from + length));
    }
    // Names of some kinds may have line breaks.
    const names = named.join(", ").replaceAll(/[\x00-\x1f\x7f]/g, "?");
    let what = "";
    if (current >= 0 && named.length > 0) what = `, in the reconcile of ${names}`;
    else if (running > named.length)
      what = `, while ${running} reconciles run: ${names} and others`;
    else if (running > 0) what = `, while the reconcile of ${names} runs`;
    const said = texts.write(what, slots * textBytes, textBytes, "utf8");
    Atomics.store(numbers, places.said, said);
    Atomics.add(numbers, places.seen, 1);
    const seconds = Math.round((now - since) / 100) / 10;
    try {
      writeSync(2, `homeostat: the event loop has been blocked for ${seconds} s${what}\n`);
    } catch {
      // Nobody reads it.
    }
  }
}
