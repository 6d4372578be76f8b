// Logs the warnings of the API server, such as unknown fields and deprecated kinds, each text once:
// the same request warns with every reconcile, and for every object.
// controller-runtime: pkg/client/client.go (WarningHandler, with de-duplication by default).
import type { ClientObserver } from "../../client/session-options.ts";
import type { ReconcileLog } from "../../controller/define-controller.ts";

/** Texts remembered; later ones replace the oldest, which may be repeated. */
const remembered = 1000;

/** Receives the warnings of a client. `log` returns where they go by then. */
export function logServerWarnings(
  log: () => Pick<ReconcileLog, "warn">,
): NonNullable<ClientObserver["warned"]> {
  const said = new Set<string>();
  return (text, { method, path }) => {
    if (said.has(text)) return;
    said.add(text);
    if (said.size > remembered) said.delete(said.values().next().value!);
    log().warn(`the API server warns: ${text}`, { request: `${method} ${path}` });
  };
}
