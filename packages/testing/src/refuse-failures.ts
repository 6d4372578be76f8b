// Fails a test whose reconciles fail: after some retries they rest for so long that the controllers
// look settled.
import { HomeostatError, type Manager, type ObjectState } from "homeostat";

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
      hint: 'mend what they throw, or start the cluster with `failures: "report"` to test the failure',
    },
  );
}

function describeFailure({ kind, key, controller, progress }: ObjectState): string {
  if (progress.at !== "retrying") return `  ${kind} ${key} (${controller})`;
  const { because, failures, hint } = progress;
  const times = failures === 1 ? "once" : `${failures} times`;
  return `  ${kind} ${key} (${controller}) failed ${times}: ${because}${hint === undefined ? "" : ` (${hint})`}`;
}
