// The lease by which a server that listens says that it is there: renewed every ten seconds, gone
// when the server ends. Once an hour those that other servers have left behind are cleared away.
// Upstream: k8s.io/component-helpers/apimachinery/lease/controller.go,
// k8s.io/kubernetes/pkg/controlplane/apiserver/server.go,
// pkg/controlplane/controller/apiserverleasegc, k8s.io/apiserver/pkg/server/config.go
// (APIServerID).
import type { JsonObject } from "homeostat/api";
import { type Runtime, type Timer, unitInterval, uuid } from "homeostat/runtime";
import type { LoopbackClient } from "./loopback-client.ts";
import { itemsAt, numberAt, objectAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import { hostAndPort, type ServerAddress } from "../apimachinery/server-address.ts";
import { serverId } from "./apiserver-identity.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const label = "apiserver.kubernetes.io/identity";
const component = "kube-apiserver";
const durationSeconds = 3600;
const renewMs = 10_000;
/** Renewals are up to this part later, so that servers that began together do not stay together. */
const jitter = 0.04;
const clearMs = 3_600_000;

export interface IdentityLeaseOptions {
  readonly call: LoopbackClient;
  readonly runtime: Runtime;
  readonly address: ServerAddress;
}

/** Keeps the lease until what is returned is called, which deletes it. */
export function startIdentityLeaseController(options: IdentityLeaseOptions): () => Promise<void> {
  const keeper = new LeaseKeeper(options);
  keeper.start();
  return () => keeper.stop();
}

class LeaseKeeper {
  readonly #options: IdentityLeaseOptions;
  readonly #name: string;
  readonly #holder: string;
  #latest: JsonObject | undefined;
  #isStopped = false;
  #working: Promise<unknown> = Promise.resolve();
  #renewal: Timer | undefined;
  #clearing: Timer | undefined;

  constructor(options: IdentityLeaseOptions) {
    this.#options = options;
    this.#name = serverId(options.address.hostname, component);
    this.#holder = `${this.#name}_${uuid(options.runtime.entropy)}`;
  }

  /** Takes over from the server that was here before; nobody waits for it. */
  start(): void {
    const { call } = this.#options;
    this.#renewal = this.#later(0, async () => {
      await call("DELETE", `${leases}/${this.#name}`);
      await this.#renew();
    });
    this.#clearing = this.#later(0, () => this.#clear());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#renewal?.cancel();
    this.#clearing?.cancel();
    await this.#working;
    await this.#options.call("DELETE", `${leases}/${this.#name}`).catch(() => undefined);
  }

  /** Runs `work` after what runs already. What fails is tried again the next time. */
  #later(afterMs: number, work: () => Promise<void>): Timer {
    return this.#options.runtime.clock.timer(afterMs, () => {
      this.#working = this.#working
        .then(async () => (this.#isStopped ? undefined : work()))
        .catch(() => undefined);
    });
  }

  async #renew(): Promise<void> {
    const { call, runtime } = this.#options;
    this.#renewal = this.#later(renewMs * (1 + jitter * unitInterval(runtime.entropy)), () =>
      this.#renew(),
    );
    const renewed =
      this.#latest && (await call("PUT", `${leases}/${this.#name}`, this.#lease(this.#latest)));
    if (renewed && renewed.status < 300) return void (this.#latest = renewed.object);
    this.#latest = undefined;
    const made = await call("POST", leases, this.#lease());
    if (made.status < 300) return void (this.#latest = made.object);
    // Somebody has touched it: the next renewal builds on what it is now.
    const found = await call("GET", `${leases}/${this.#name}`);
    if (found.status < 300) this.#latest = found.object;
  }

  #lease(before: JsonObject = {}): JsonObject {
    const { runtime, address } = this.#options;
    const metadata = metadataOf(before);
    return {
      ...before,
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: {
        ...metadata,
        name: this.#name,
        namespace: "kube-system",
        labels: {
          ...objectAt(metadata, "labels"),
          [label]: component,
          "kubernetes.io/hostname": address.hostname,
        },
        annotations: {
          ...objectAt(metadata, "annotations"),
          "kubernetes.io/peer-advertise-address": hostAndPort(address),
        },
      },
      spec: {
        ...objectAt(before, "spec"),
        holderIdentity: this.#holder,
        leaseDurationSeconds: durationSeconds,
        renewTime: microTime(runtime.clock.now()),
      },
    };
  }

  async #clear(): Promise<void> {
    const { call, runtime } = this.#options;
    this.#clearing = this.#later(clearMs, () => this.#clear());
    const { object } = await call(
      "GET",
      `${leases}?labelSelector=${encodeURIComponent(`${label}=${component}`)}`,
    );
    for (const lease of itemsAt(object, "items").filter((each) =>
      hasExpired(each, runtime.clock.now()),
    ))
      await call("DELETE", `${leases}/${stringAt(metadataOf(lease), "name")}`);
  }
}

/** Whether a lease is over, or says too little to ever be. */
export function hasExpired(lease: JsonObject, now: number): boolean {
  const spec = objectAt(lease, "spec");
  const renewed = Date.parse(stringAt(spec, "renewTime"));
  return (
    Number.isNaN(renewed) ||
    spec["leaseDurationSeconds"] === undefined ||
    renewed + numberAt(spec, "leaseDurationSeconds") * 1000 < now
  );
}

const microTime = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");
