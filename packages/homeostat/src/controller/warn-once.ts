// Warnings about mistakes that repeat with every run.
import type { ReconcileLog } from "./define-controller.ts";

/** Warnings remembered; older ones may be repeated. */
const remembered = 1000;

/** Logs each warning once per object. */
export class WarnOnce {
  readonly #log: ReconcileLog;
  readonly #said = new Set<string>();

  constructor(log: ReconcileLog) {
    this.#log = log;
  }

  /** `mistake` identifies the warning; the message may vary. */
  warn(
    object: string,
    mistake: string,
    { message, ...fields }: { readonly message: string; readonly [field: string]: unknown },
  ): void {
    const id = `${object} ${mistake}`;
    if (this.#said.has(id)) return;
    this.#said.add(id);
    if (this.#said.size > remembered) this.#said.delete(this.#said.values().next().value!);
    this.#log.warn(message, { object, ...fields });
  }
}
