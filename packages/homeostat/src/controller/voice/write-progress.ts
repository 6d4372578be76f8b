// Shows the progress of an object outside of a run: that a run was abandoned, or that runs follow
// each other without an end.
import type { KubeObject, ObjectKey } from "../../api/object-meta.ts";
import { describeError } from "../../util/describe-error.ts";
import type { Client } from "../../client/client.ts";
import type { ReconcileDependencies } from "../reconcile-dependencies.ts";
import { createStatusIntent } from "../status-intent.ts";
import { writeStatus } from "../write-status.ts";
import { progressTypes } from "./progress-conditions.ts";
import type { Verdict } from "./verdict.ts";

/** Writes the conditions of `verdict`. Never rejects. */
export async function writeProgress(
  dependencies: ReconcileDependencies,
  client: Client,
  { key, verdict }: { readonly key: ObjectKey; readonly verdict: Verdict },
): Promise<void> {
  const { primary, definition, log, keepsConditions } = dependencies;
  const object = primary.unchecked.get(key) as KubeObject | undefined;
  if (!object || !keepsConditions || progressTypes(definition.kind).length === 0) return;
  const run = { object, intent: createStatusIntent(), scope: { markOvertaken() {} } };
  await writeStatus(dependencies, run, client, verdict).catch((error: unknown) =>
    log.debug(`the conditions could not be written: ${describeError(error)}`, { error }),
  );
}
