// Keeps the status of ResourceQuotas: counts the usage of their namespaces when a quota is new or
// changes, when something is released, and now and then. Admission enters what is used. Watches
// only kinds that some quota limits.
// Upstream: k8s.io/kubernetes/pkg/controller/resourcequota (resource_quota_controller.go,
// resource_quota_monitor.go), cmd/kube-controller-manager (ResourceQuotaSyncPeriod).
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { type Decoded, parseObjectKey } from "homeostat/api";
import type { CachedObject, InformerLease } from "homeostat/cache";
import type { DiscoveredKind } from "homeostat/client";
import type { Timer } from "homeostat/runtime";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { ResourceQuota } from "homeostat/k8s/core/v1";
import type { DeviceClass } from "homeostat/k8s/resource/v1";
import { keyFor } from "../../component-helpers/meta/api-object.ts";
import { type Evaluator, evaluatorFor } from "../../kinds/core/quota/evaluators.ts";
import { type QuotaObject, sameAmounts } from "../../kinds/core/quota/quota-amounts.ts";
import { justClasses, readClasses, readSurroundings } from "./read-surroundings.ts";
import { nextQuotaStatus, type Tracked } from "./next-quota-status.ts";

/** How often all quotas are counted: writes that failed after admission are entered as used. */
const resyncMs = 5 * 60_000;
/** Longer than a write takes from admission to the store. */
const settleMs = 20;
const verbs = ["create", "list", "watch", "delete"];
/** Groups of Event. No quota limits events. */
const ignoredGroups: ReadonlySet<string> = new Set(["", "events.k8s.io"]);

interface Watched {
  readonly kind: DiscoveredKind;
  readonly evaluator: Evaluator;
  readonly lease: InformerLease;
  readonly handler: { remove(): void };
}

/** Starts `resourcequota`. */
export const start: Start = async (context) => new ResourceQuotaController(context);

class ResourceQuotaController extends KeyedController {
  readonly #quotas = this.acquire(ResourceQuota);
  readonly #watched = new Map<string, Watched>();
  /** As of the last quota that limits a name which a class may back. */
  #classes: readonly Decoded<DeviceClass>[] = [];
  readonly #around = justClasses(() => this.#classes);

  constructor(context: ControllerContext) {
    super(context, "the resourcequota controller");
    const enqueue = ({ key }: CachedObject): void => this.add(key);
    this.follow(this.#quotas, {
      added: enqueue,
      updated: (old, quota) =>
        void (sameAmounts(old.read().spec.hard, quota.read().spec.hard) || enqueue(quota)),
      deleted: () => this.#unwatchIdle(),
    });
    const addAll = (): void => this.#quotas.list().forEach((quota) => this.add(keyFor(quota)));
    const changed = context.kinds.changed(addAll);
    const resync = (): Timer =>
      context.runtime.clock.timer(resyncMs, () => {
        addAll();
        timer = resync();
      });
    let timer = resync();
    this.onStop(async () => {
      changed.remove();
      timer.cancel();
      for (const id of [...this.#watched.keys()]) this.#unwatch(id);
    });
    this.start((key) => this.#sync(key));
  }

  async #sync(key: string): Promise<undefined> {
    if (!this.#quotas.entry(key)) return undefined;
    const { client } = this.context;
    const cached = this.#quotas.get(parseObjectKey(key));
    this.#classes = (await readClasses(client, namesOf(cached))) ?? this.#classes;
    const kinds = await this.#kindsOf(cached);
    const watched = kinds.map((kind) => this.#watch(kind));
    await Promise.all(watched.map(({ lease }) => lease.informer.synced(this.signal)));
    const quota = await client.find(ResourceQuota, parseObjectKey(key));
    if (!quota) return undefined;
    await this.#settled();
    const tracked = await this.#count(watched, quota);
    const status = nextQuotaStatus(quota, tracked, this.context.runtime.clock.now());
    if (status)
      await client
        .update(ResourceQuota, { ...quota, status }, { subresource: "status" })
        .catch(ignoreNotFound);
    return undefined;
  }

  /** Waits for writes that the quota's usage already includes: they are about to be stored. */
  #settled(): Promise<void> {
    return new Promise((resolve) => {
      this.context.runtime.clock.timer(settleMs, resolve);
    });
  }

  /** Caches may lag behind the quota, and what they miss could be used twice: lists are read. */
  async #count(watched: readonly Watched[], quota: ResourceQuota): Promise<readonly Tracked[]> {
    const { client } = this.context;
    const { namespace = "" } = quota.metadata;
    const names = namesOf(quota);
    const around = await readSurroundings(client, this.#classes, { names, namespace });
    return await Promise.all(
      watched.map(async ({ kind }): Promise<Tracked> => {
        const { items } = await client.list(kind, { namespace });
        const objects = items as unknown as readonly QuotaObject[];
        return { evaluator: evaluatorFor(kind, around), objects };
      }),
    );
  }

  /** The served kinds that the quota limits. */
  async #kindsOf(quota: ResourceQuota | undefined): Promise<readonly DiscoveredKind[]> {
    const names = namesOf(quota);
    const served = await this.context.kinds.deletable();
    const isEvent = ({ group, resource }: DiscoveredKind): boolean =>
      resource === "events" && ignoredGroups.has(group);
    const countable = served.filter(
      (kind) =>
        kind.scope === "Namespaced" &&
        verbs.every((verb) => kind.verbs.includes(verb)) &&
        !isEvent(kind),
    );
    return countable.filter((kind) =>
      names.some((name) => evaluatorFor(kind, this.#around).covers(name)),
    );
  }

  #watch(kind: DiscoveredKind): Watched {
    const id = `${kind.apiVersion}/${kind.resource}`;
    const before = this.#watched.get(id);
    if (before) return before;
    const evaluator = evaluatorFor(kind, this.#around);
    const lease = this.context.cache.acquire(kind);
    const enqueue = ({ namespace }: CachedObject): void => this.#enqueue(namespace, evaluator);
    const isChange = (old: CachedObject, object: CachedObject): boolean =>
      evaluator.changes(
        old.read() as QuotaObject,
        object.read() as QuotaObject,
        this.context.runtime.clock.now(),
      );
    const handler = lease.informer.addHandler({
      updated: (old, object) => void (isChange(old, object) && enqueue(object)),
      deleted: enqueue,
    });
    const watched = { kind, evaluator, lease, handler };
    this.#watched.set(id, watched);
    return watched;
  }

  #enqueue(namespace: string, evaluator: Evaluator): void {
    for (const quota of this.#quotas.list({ namespace }))
      if (isLimiting(quota, evaluator)) this.add(keyFor(quota));
  }

  #unwatchIdle(): void {
    const quotas = this.#quotas.list();
    for (const [id, { evaluator }] of this.#watched)
      if (!quotas.some((quota) => isLimiting(quota, evaluator))) this.#unwatch(id);
  }

  #unwatch(id: string): void {
    const watched = this.#watched.get(id);
    this.#watched.delete(id);
    watched?.handler.remove();
    watched?.lease.release();
  }
}

const namesOf = (quota: ResourceQuota | undefined): readonly string[] =>
  Object.keys(quota?.spec.hard ?? {});

const isLimiting = (quota: ResourceQuota, evaluator: Evaluator): boolean =>
  namesOf(quota).some((name) => evaluator.covers(name));
