// What happened in a run, in order: equal seeds give equal traces, byte for byte.
import { createHash } from "node:crypto";

/** One thing that happened. */
export interface TraceEntry {
  /** Virtual ms since the start. */
  readonly at: number;
  readonly process: string;
  readonly what: string;
}

/** A growing record. */
export class Trace {
  readonly entries: TraceEntry[] = [];

  add(at: number, process: string, what: string): void {
    this.entries.push({ at, process, what });
  }

  text(): string {
    return this.entries.map(({ at, process, what }) => `${at} ${process} ${what}\n`).join("");
  }

  /** Of the text, to compare runs. */
  digest(): string {
    return createHash("sha256").update(this.text()).digest("hex");
  }
}
