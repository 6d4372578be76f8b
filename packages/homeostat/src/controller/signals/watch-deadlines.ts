// Reports signals that are still set after their time: in the log, as an Event on their object, and
// as the condition Stalled where the object is reconciled by this controller.
import type { KubeObject } from "../../api/object-meta.ts";
import { objectReference } from "../../events/index.ts";
import { kindId } from "../echo/run-record.ts";
import type { RunnerOptions } from "../run/runner-state.ts";
import type { ProgressWrites } from "../voice/progress-writes.ts";
import type { RunVoice } from "../voice/run-voice.ts";
import { OverdueSignals } from "./overdue-signals.ts";
import type { Signal } from "./signal.ts";

/** What reports need beside the options of the runner. */
export interface DeadlineReports {
  readonly voice: RunVoice;
  readonly progress: Pick<ProgressWrites, "write">;
}

/** Watches the signals that `options` name, until `stop()`. */
export function watchDeadlines(
  { definition, runtime, informer, queue, limitedSignals: signals }: RunnerOptions,
  { voice, progress }: DeadlineReports,
): OverdueSignals {
  const isReconciled = (signal: Signal): boolean => kindId(signal.on) === kindId(definition.kind);
  return new OverdueSignals({
    signals,
    clock: runtime.clock,
    informer: (signal) => informer(signal.on),
    overdue(signal, entry, message) {
      const object = entry.read() as KubeObject;
      const title = `${signal.on.kind} ${entry.key}`;
      voice.overdue(title, objectReference(signal.on, object), message);
      if (isReconciled(signal))
        void progress.write(entry.key, { is: "stalled", reason: "SignalOverdue", message });
    },
    cleared(signal, key) {
      const cause = { what: `the signal ${signal.name} was cleared`, source: "signal" };
      if (isReconciled(signal)) queue.add(key, { cause });
    },
  });
}
