// Namespace deletion: empties a namespace that is being deleted, says in five conditions what is
// left, and takes the `kubernetes` finalizer off its spec once nothing is. Upstream lets five
// seconds pass before it begins, for other API servers to notice the deletion; one server alone
// need not.
// Upstream: k8s.io/kubernetes/pkg/controller/namespace/namespace_controller.go,
// deletion/namespaced_resources_deleter.go.
import { isConflict, isNotFound, type JsonObject } from "homeostat/api";
import { Namespace, type NamespaceStatus } from "homeostat/k8s/core/v1";
import { createWorkQueue, type WorkQueue } from "homeostat/queue";
import type {
  RunningController,
  ControllerDescriptor,
  ControllerContext,
} from "../../component-helpers/controller/controller.ts";
import { reportContent } from "./content-report.ts";
import { type Emptied, emptyNamespace } from "./empty-namespace.ts";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import { LeftObjects } from "./left-objects.ts";

const finalizer = "kubernetes";
/**
 * The next look at a namespace that still holds something, when nothing announces its end
 * (upstream: 15 s / 2 + 1 s).
 */
const lookAgainMs = 8_000;
/** Failures in a row after which somebody is told, once. */
const tellAfter = 10;

/** `namespace`, as kube-controller-manager calls it. */
export const namespaceLifecycle: ControllerDescriptor = {
  name: "namespace",
  aliases: ["namespace-controller"],
  byDefault: true,
  start: async (context) => new NamespaceLifecycle(context),
};

class NamespaceLifecycle implements RunningController {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #left: LeftObjects;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #unwatch: () => void;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#queue = createWorkQueue({
      runtime: context.runtime,
      backoff: { firstMs: 5, maxMs: 60_000 },
    });
    this.#left = new LeftObjects(context.cache, (namespace, afterMs) =>
      this.#queue.add(namespace, { afterMs }),
    );
    const lease = context.cache.acquire(Namespace);
    const wake = (object: { readonly key: string; readonly deleting: boolean }): void => {
      if (object.deleting) this.#queue.add(object.key);
    };
    const handler = lease.informer.addHandler({
      added: wake,
      updated: (_, object) => wake(object),
      deleted: ({ key }) => this.#left.waitFor(key, []),
    });
    this.#unwatch = () => {
      handler.remove();
      lease.release();
    };
    this.#running = this.#work();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unwatch();
    await this.#queue.shutDown();
    await this.#running;
    this.#left.stop();
  }

  async #work(): Promise<void> {
    for (let item = await this.#queue.get(); item; item = await this.#queue.get()) {
      const { key, failures } = item;
      try {
        if (!this.#stopping.signal.aborted) await this.#terminate(key);
        this.#queue.forget(key);
      } catch (error) {
        if (!this.#stopping.signal.aborted) this.#queue.addRateLimited(key);
        if (failures === tellAfter)
          this.#context.warn(`the deletion of namespace ${key} keeps failing`, error);
      }
      this.#queue.done(key);
    }
  }

  /** One pass. Rejects when it is to be tried again. */
  async #terminate(name: string): Promise<void> {
    const found = await this.#find(name);
    if (!found || found.metadata.deletionTimestamp === undefined) return;
    const namespace = await this.#change(found, (one) =>
      one.status.phase === "Terminating" ? undefined : { ...one.status, phase: "Terminating" },
    );
    if (!namespace?.spec.finalizers?.length) return;
    const { now } = this.#context.runtime.clock;
    const { report, left } = await this.#empty(
      name,
      now() - Date.parse(found.metadata.deletionTimestamp),
    );
    this.#left.waitFor(name, left);
    await this.#change(namespace, (one) => {
      const conditions = reportContent(report, one.status.conditions ?? [], formatTime(now()));
      return conditions && { ...one.status, conditions };
    });
    const failures = [
      ...(report.discoveryError === undefined ? [] : [report.discoveryError]),
      ...report.failures,
    ];
    if (failures.length > 0) throw new Error(failures.join("; "));
    if (left.length > 0) this.#queue.add(name, { afterMs: lookAgainMs });
    else await this.#finalize(name);
  }

  async #find(name: string): Promise<Namespace | undefined> {
    return this.#context.client.find(Namespace, name);
  }

  async #empty(name: string, goingForMs: number): Promise<Emptied> {
    const { client, kinds } = this.#context;
    try {
      return await emptyNamespace(client, await kinds.deletable(), {
        name,
        goingForMs,
        signal: this.#stopping.signal,
      });
    } catch (error) {
      this.#stopping.signal.throwIfAborted();
      const discoveryError = error instanceof Error ? error.message : String(error);
      return {
        report: { discoveryError, failures: [], remaining: new Map(), finalizers: new Map() },
        left: [],
      };
    }
  }

  /**
   * Writes a status, on the latest revision; undefined when this namespace is gone. `next` gives
   * undefined where nothing changes.
   */
  async #change(
    namespace: Namespace,
    next: (namespace: Namespace) => NamespaceStatus | undefined,
  ): Promise<Namespace | undefined> {
    for (
      let latest: Namespace | undefined = namespace;
      latest?.metadata.uid === namespace.metadata.uid;
      latest = await this.#find(namespace.metadata.name)
    ) {
      const status = next(latest);
      if (!status) return latest;
      try {
        return await this.#context.client.update(
          Namespace,
          { ...latest, status },
          { subresource: "status" },
        );
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
    return undefined;
  }

  async #finalize(name: string): Promise<void> {
    const namespace = await this.#find(name);
    if (!namespace?.spec.finalizers?.includes(finalizer)) return;
    const finalizers = [...new Set(namespace.spec.finalizers)]
      .filter((one) => one !== finalizer)
      .toSorted();
    const body = {
      ...namespace,
      apiVersion: "v1",
      kind: "Namespace",
      spec: { ...namespace.spec, finalizers },
    } as unknown as JsonObject;
    await this.#context.client
      .request({ method: "PUT", path: `/api/v1/namespaces/${name}/finalize`, body })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}
