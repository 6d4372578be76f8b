// What happened in a run, for people: without what keeps connections alive.
import type { Outcome } from "../run/outcome.ts";
import type { TraceEntry } from "../run/trace.ts";

const shown = 60;

/** The last part of a run, a line for each thing that happened. */
export function timeline({ trace }: Outcome): readonly string[] {
  const lines = trace.entries.filter(isOfInterest).map(describe);
  if (lines.length <= shown) return lines;
  return [`… ${lines.length - shown} things before`, ...lines.slice(-shown)];
}

const isOfInterest = ({ what }: TraceEntry): boolean => !/ BOOKMARK$|^watch |to watch /.test(what);

const describe = ({ at, process, what }: TraceEntry): string =>
  `${(at / 1000).toFixed(3).padStart(8)} s  ${process}  ${what}`;
