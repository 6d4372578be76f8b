// Fails a test whose reconciles fail: after some retries they rest for so long that the controllers
// look settled.
import { HomeostatError, type Manager, type ObjectState } from "homeostat";
import { timesOf } from "./describe-state.ts";

/** @throws ERR_TEST_FAILING naming the objects whose last reconcile has failed, and why */
export function refuseFailures(manager: Manager | undefined): void {
  const failing = (manager?.states() ?? []).filter(
    ({ progress }) => progress.at === "retrying" && progress.failures > 0,
  );
  if (failing.length === 0) return;
  throw new HomeostatError(
    "ERR_TEST_FAILING",
    `settling: reconciles fail:\n${failing.map(describeFailure).join("\n")}`,
    {
      cause: causeOf(failing.flatMap(({ progress }) => errorOf(progress))),
      hint: 'mend what they throw, or start the cluster with `failures: "report"` to test the failure',
    },
  );
}

function describeFailure({ kind, key, controller, progress }: ObjectState): string {
  if (progress.at !== "retrying") return `  ${kind} ${key} (${controller})`;
  const { because, failures, hint } = progress;
  return `  ${kind} ${key} (${controller}) failed ${timesOf(failures)}: ${because}${hint === undefined ? "" : ` (${hint})`}`;
}

/** What was thrown; nothing where a retry is no failure. */
function errorOf(progress: ObjectState["progress"]): readonly unknown[] {
  return progress.at === "retrying" && progress.error !== undefined ? [progress.error] : [];
}

/** The error, or all of them: their stacks name the places in the user's code. */
const causeOf = (errors: readonly unknown[]): unknown =>
  errors.length > 1 ? new AggregateError(errors, "several reconciles fail") : errors[0];
