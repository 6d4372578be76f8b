// The webhooks of a manager: they are served before caches start, because the API server may need
// them for what controllers write, and until all else has stopped.
import type { Client } from "../client/client.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Log } from "../util/guard-log.ts";
import type { Webhooks } from "../webhook/create-webhooks.ts";
import type { WebhooksOptions } from "../webhook/webhooks-options.ts";
import { logFreshness } from "./log/log-freshness.ts";
import type { ClusterMetrics } from "./metrics/operator-metrics.ts";
import type { Tracing } from "./tracing/tracing.ts";
import { refuseIfStopped } from "./transitions.ts";

/** What webhooks need of their manager. */
interface ManagerOfWebhooks {
  readonly options: {
    readonly operator: string;
    readonly client: Client;
    readonly syncTimeoutMs?: number;
    readonly tracing?: Pick<Tracing, "review"> | undefined;
    readonly metrics?: Pick<ClusterMetrics, "webhooks"> | undefined;
  };
  readonly runtime: Runtime;
  readonly log: Log;
  readonly stopping: AbortController;
  readonly definitions: readonly { readonly name: string }[];
  webhooks?: Webhooks;
}

/** @throws ERR_WEBHOOK_START, ERR_MANAGER_STOPPED */
export async function startWebhooks(
  manager: ManagerOfWebhooks,
  wanted: WebhooksOptions,
): Promise<void> {
  const { options, runtime, log, stopping } = manager;
  const { operator, client, syncTimeoutMs = 120_000 } = options;
  // What only some operators use is loaded with them.
  const { createWebhooks } = await import("../webhook/create-webhooks.ts");
  let isStarting = true;
  const names = manager.definitions.map(({ name }) => name);
  const waitingFor = (): readonly string[] => (isStarting ? names : []);
  const webhooks = createWebhooks(wanted, {
    operator,
    client,
    runtime,
    log,
    follow: (cache) => logFreshness({ cache, log, runtime, isLeftOut: no, waitingFor }),
    observe: options.metrics?.webhooks,
    trace: options.tracing?.review,
  });
  manager.webhooks = webhooks;
  const stopped = Promise.withResolvers<void>();
  stopping.signal.addEventListener("abort", () => stopped.resolve(), { once: true });
  const started = webhooks.start(syncTimeoutMs);
  started.catch(() => {});
  await Promise.race([started, stopped.promise]);
  isStarting = false;
  refuseIfStopped(operator, stopping);
}

const no = (): boolean => false;

/** Why the API server does not call them. */
export const webhookReasons = (webhooks: Webhooks | undefined): readonly string[] =>
  webhooks?.reasons() ?? [];
