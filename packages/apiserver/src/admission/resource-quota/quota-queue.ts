// Admits writes against quotas, those of one namespace one batch after another: each batch is
// checked, then the usage of all its writes is entered with one update of each quota's status.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go (checkQuotas).
import { ApiStatusError, type Decoded, type JsonObject, type Status } from "homeostat/api";
import type { ResourceQuota } from "homeostat/k8s/core/v1";
import { internalError } from "../../apimachinery/errors/api-errors.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { PluginServices } from "../admission-plugin.ts";
import type { ClaimSurroundings } from "../../kinds/core/quota/backed-resources.ts";
import type { LimitedResource } from "../configuration/resource-quota.ts";
import { checkRequest, isHandled, type QuotaTerms } from "./check-request.ts";
import { isUsedAlike, openQuota, type RunningQuota, toAmounts } from "./running-quota.ts";

const quotasOf = { group: "", resource: "resourcequotas" } as const;
/** Further attempts after a quota changed between the check and its update. */
const retries = 3;
/** How long a write waits for its answer. */
const deadlineMs = 10_000;

/** Admits writes. */
export interface QuotaQueue {
  /** Resolves when the usage is entered; rejects with the refusal. */
  admit(request: AdmissionRequest): Promise<void> | undefined;
}

/** A write that waits for its answer. */
interface Waiter {
  readonly request: AdmissionRequest;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

export function createQuotaQueue(
  services: PluginServices,
  limited: readonly LimitedResource[],
): QuotaQueue {
  const waiting = new Map<string, Waiter[]>();
  const work = async (namespace: string): Promise<void> => {
    for (;;) {
      const batch = waiting.get(namespace) ?? [];
      if (!batch.length) break;
      waiting.set(namespace, []);
      await answer(batch, { namespace, limited }, services);
    }
    waiting.delete(namespace);
  };
  return {
    admit(request) {
      if (!isHandled(request)) return undefined;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiter: Waiter = { request, admit: resolve, refuse: reject };
      const others = waiting.get(request.namespace);
      if (others) others.push(waiter);
      else {
        waiting.set(request.namespace, [waiter]);
        void work(request.namespace);
      }
      return withDeadline(promise, services);
    },
  };
}

/** Rejects what takes too long; its usage may be entered all the same, as upstream. */
function withDeadline(admitted: Promise<void>, { runtime }: PluginServices): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = runtime.clock.timer(deadlineMs, () =>
    reject(internalError("resource quota evaluation timed out")),
  );
  void admitted.then(resolve, reject).finally(() => timer.cancel());
  return promise;
}

/** What the writes of a batch have in common. */
interface Scope {
  readonly namespace: string;
  readonly limited: readonly LimitedResource[];
}

/** Answers every waiter. */
async function answer(
  batch: readonly Waiter[],
  { namespace, limited }: Scope,
  services: PluginServices,
): Promise<void> {
  try {
    const stored = (): readonly RunningQuota[] =>
      services.objects
        .list(quotasOf, namespace)
        .map((object) => openQuota(object as Decoded<ResourceQuota>));
    let quotas = stored();
    let undecided = batch;
    for (let retry = 0; undecided.length; retry++) {
      const checked = check(quotas, undecided, {
        limited,
        now: services.runtime.clock.now(),
        around: surroundings(services),
      });
      const { failed, error } = await enter(quotas, checked.quotas, services);
      if (!failed.size || retry === retries) {
        for (const waiter of checked.charged)
          if (failed.size) waiter.refuse(error);
          else waiter.admit();
        return;
      }
      undecided = checked.charged;
      quotas = stored().filter(({ name }) => failed.has(name));
    }
  } catch (error) {
    for (const waiter of batch) waiter.refuse(error);
  }
}

const resourceGroup = "resource.k8s.io";

const surroundings = ({ objects }: PluginServices): ClaimSurroundings => ({
  classes: () => objects.list({ group: resourceGroup, resource: "deviceclasses" }),
  pod: (namespace, name) => objects.find({ group: "", resource: "pods" }, name, namespace),
  claims: (namespace) =>
    objects.list({ group: resourceGroup, resource: "resourceclaims" }, namespace),
});

interface Checked {
  /** With the usage of the charged writes. */
  readonly quotas: readonly RunningQuota[];
  /** Writes whose usage has to be entered; the others are answered. */
  readonly charged: readonly Waiter[];
}

function check(
  quotas: readonly RunningQuota[],
  waiters: readonly Waiter[],
  terms: QuotaTerms,
): Checked {
  let running = quotas;
  const charged: Waiter[] = [];
  for (const waiter of waiters) {
    try {
      const next = checkRequest(running, waiter.request, terms);
      const isCharged = next.some((quota, at) => !isUsedAlike(quota, running[at]!));
      if (waiter.request.dryRun || !isCharged) waiter.admit();
      else {
        running = next;
        charged.push(waiter);
      }
    } catch (error) {
      waiter.refuse(error);
    }
  }
  return { quotas: running, charged };
}

/** Updates the status of every quota that is used more; names those that could not be. */
async function enter(
  before: readonly RunningQuota[],
  after: readonly RunningQuota[],
  services: PluginServices,
): Promise<{ readonly failed: ReadonlySet<string>; readonly error: unknown }> {
  const failed = new Set<string>();
  let error: unknown;
  for (const [at, quota] of after.entries()) {
    if (isUsedAlike(quota, before[at]!)) continue;
    const refused = await updateStatus(quota, services);
    if (!refused) continue;
    failed.add(quota.name);
    error = refused;
  }
  return { failed, error };
}

async function updateStatus(
  { stored, name, used }: RunningQuota,
  { loopback }: PluginServices,
): Promise<ApiStatusError | undefined> {
  const object = { ...stored, status: { ...stored.status, used: toAmounts(used) } };
  const namespace = stored.metadata?.namespace ?? "";
  const { status, object: answered } = await loopback(
    "PUT",
    `/api/v1/namespaces/${namespace}/resourcequotas/${name}/status`,
    object as JsonObject,
  );
  return status < 300 ? undefined : new ApiStatusError(answered as unknown as Status);
}
