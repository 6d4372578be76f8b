// Deletes namespaces: empties a namespace that is being deleted, reports the remaining content in
// five conditions, and removes the `kubernetes` finalizer from its spec when nothing remains.
// Upstream waits five seconds first, for other API servers to observe the deletion; there is only
// one here.
// Upstream: k8s.io/kubernetes/pkg/controller/namespace/namespace_controller.go,
// deletion/namespaced_resources_deleter.go.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { isConflict, type JsonObject } from "homeostat/api";
import { Namespace, type NamespaceStatus } from "homeostat/k8s/core/v1";
import type { CachedObject } from "homeostat/cache";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { reportContent } from "./namespace-conditions.ts";
import { type DeletionResult, deleteNamespaceContent } from "./namespaced-resources-deleter.ts";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import { RemainingObjects } from "./remaining-objects.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";

const finalizer = "kubernetes";
/**
 * Delay before a namespace with remaining content is processed again, if no watch announces the end
 * of it (upstream: 15 s / 2 + 1 s).
 */
const retryContentMs = 8_000;

/** Starts `namespace`. */
export const start: Start = async (context) => new NamespaceController(context);

class NamespaceController extends KeyedController {
  readonly #remaining = new RemainingObjects(this.context.cache, (namespace, afterMs) =>
    this.add(namespace, afterMs),
  );

  constructor(context: ControllerContext) {
    super(context, "the namespace controller");
    const enqueue = ({ key, deleting }: CachedObject): void => {
      if (deleting) this.add(key);
    };
    this.follow(this.acquire(Namespace), {
      added: enqueue,
      updated: (_, namespace) => enqueue(namespace),
      deleted: ({ key }) => this.#remaining.waitFor(key, []),
    });
    this.onStop(async () => this.#remaining.stop());
    this.start((name) => this.#sync(name));
  }

  async #sync(name: string): Promise<number | undefined> {
    const found = await this.#find(name);
    if (!found || found.metadata.deletionTimestamp === undefined) return undefined;
    const namespace = await this.#change(found, (one) =>
      one.status.phase === "Terminating" ? undefined : { ...one.status, phase: "Terminating" },
    );
    if (!namespace?.spec.finalizers?.length) return undefined;
    const { now } = this.context.runtime.clock;
    const { report, left } = await this.#empty(
      name,
      now() - Date.parse(found.metadata.deletionTimestamp),
    );
    this.#remaining.waitFor(name, left);
    await this.#change(namespace, (one) => {
      const conditions = reportContent(report, one.status.conditions ?? [], formatTime(now()));
      return conditions && { ...one.status, conditions };
    });
    const failures = [
      ...(report.discoveryError === undefined ? [] : [report.discoveryError]),
      ...report.failures,
    ];
    if (failures.length > 0) throw new Error(failures.join("; "));
    if (left.length > 0) return retryContentMs;
    await this.#finalize(name);
    return undefined;
  }

  async #find(name: string): Promise<Namespace | undefined> {
    return this.context.client.find(Namespace, name);
  }

  async #empty(name: string, terminatingForMs: number): Promise<DeletionResult> {
    const { client, kinds } = this.context;
    try {
      return await deleteNamespaceContent(client, await kinds.deletable(), {
        name,
        terminatingForMs,
        signal: this.signal,
      });
    } catch (error) {
      this.signal.throwIfAborted();
      const discoveryError = reasonOf(error);
      return {
        report: { discoveryError, failures: [], remaining: new Map(), finalizers: new Map() },
        left: [],
      };
    }
  }

  /**
   * Writes a status on the latest revision. `next` returns undefined if nothing changes. Resolves
   * to undefined if this namespace is gone.
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
        return await this.context.client.update(
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
    await this.context.client
      .request({ method: "PUT", path: `/api/v1/namespaces/${name}/finalize`, body })
      .catch(ignoreNotFound);
  }
}
