// What a run says about the progress of its object, as conditions and Events show it. Pure.
// Upstream: sigs.k8s.io/cli-utils/pkg/kstatus/README.md (Reconciling, Stalled: present while true).
import { isApiStatusError } from "../../api/status.ts";
import { isMismatchError } from "../../cache/mismatch-error.ts";
import { describeError } from "../../util/describe-error.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { Progress } from "../object-state.ts";
import { isTerminal, type Outcome, plainRetry, restIn } from "../outcome.ts";

/** The progress of an object: it is current, on its way, or will not move by itself. */
export type Verdict =
  | { readonly is: "current" }
  | {
      readonly is: "reconciling" | "stalled";
      /** In CamelCase, or an error code. */
      readonly reason: string;
      /** For people. */
      readonly message: string;
    };

/** What a run that has returned says; a plain periodic retry is no sign of being on the way. */
export function verdictOfOutcome(outcome: Outcome | undefined): Verdict {
  const rest = outcome && restIn(outcome);
  if (rest) return verdictOfError(rest.failed);
  const state = outcome?.["~outcome"];
  if (!state) return { is: "current" };
  return state.at === "waiting" ? verdictOfWait(state.what) : verdictOfRetry(state.because);
}

const verdictOfWait = (what: string): Verdict => ({
  is: "reconciling",
  reason: "Waiting",
  message: `waiting for ${what}`,
});

const verdictOfRetry = (because: string): Verdict =>
  because === plainRetry
    ? { is: "current" }
    : { is: "reconciling", reason: "Retrying", message: because };

/**
 * What an object's controller says of it when it stops. A run that goes on says it itself if it
 * ends in time.
 */
export function verdictOfProgress(progress: Progress | undefined): Verdict {
  switch (progress?.at) {
    case "running":
      return { is: "reconciling", reason: "Stopped", message: "its controller stopped meanwhile" };
    case "waiting":
      return verdictOfWait(progress.what);
    case "retrying":
      return "error" in progress
        ? verdictOfError(progress.error)
        : verdictOfRetry(progress.because);
    case "stalled":
      return "error" in progress
        ? verdictOfError(progress.error)
        : { is: "stalled", reason: "DeadlineExceeded", message: progress.because };
    default:
      return { is: "current" };
  }
}

/** What a run that has failed says. Never throws. */
export function verdictOfError(error: unknown): Exclude<Verdict, { readonly is: "current" }> {
  const message = describeError(error);
  try {
    if (isMismatchError(error))
      return { is: "stalled", reason: "InvalidObject", message: `${message}; ${error.hint}` };
    if (isTerminal(error)) return { is: "stalled", reason: "TerminalError", message };
    return { is: "reconciling", reason: reasonOf(error), message };
  } catch {
    return { is: "reconciling", reason: "ReconcileError", message };
  }
}

const reasonPattern = /^[A-Za-z][A-Za-z0-9_]{0,127}$/;

/** The code of our errors, the server's reason, or `ReconcileError`. */
function reasonOf(error: unknown): string {
  const reason = isHomeostatError(error)
    ? error.code
    : isApiStatusError(error) && error.status.reason;
  return reason && reasonPattern.test(reason) ? reason : "ReconcileError";
}
