// Logs the warnings of the API server, such as unknown fields and deprecated kinds, each text once:
// the same request warns with every reconcile, and for every object.
// controller-runtime: pkg/client/client.go (WarningHandler, with de-duplication by default).
import type { ClientObserver } from "../../client/session-options.ts";
import type { ReconcileLog } from "../../controller/define-controller.ts";
import { createNewTexts } from "../../util/new-texts.ts";

/** Receives the warnings of a client. `log` returns where they go by then. */
export function logServerWarnings(
  log: () => Pick<ReconcileLog, "warn">,
): NonNullable<ClientObserver["warned"]> {
  const isNew = createNewTexts();
  return (text, { method, path }) => {
    if (isNew(text)) log().warn(`the API server warns: ${text}`, { request: `${method} ${path}` });
  };
}
