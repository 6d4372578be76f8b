// Makes and deletes pods for a controller and tells of it in events; many at once, but carefully at
// first.
// Upstream: k8s.io/kubernetes/pkg/controller/controller_utils.go (RealPodControl),
// replicaset/replica_set.go (slowStartBatch).
import { createObject, type NewObject } from "../meta/write-object.ts";
import { dnsSubdomainFaults, isNotFound, toControllerReference, type Kind } from "homeostat/api";
import type { Client } from "homeostat/client";
import { eventObject, type SimulatorEventRecorder } from "../events/event-recorder.ts";
import { isNamespaceTerminating } from "../controller/terminating-namespace.ts";
import type { ApiObject } from "../meta/api-object.ts";
import { Pod, type PodTemplateSpec } from "homeostat/k8s/core/v1";

/**
 * A pod as `owner` makes it from a template; the name is the server's to generate, from a prefix
 * that is the owner's unless given.
 */
export function podFromTemplate(
  owner: ApiObject,
  template: PodTemplateSpec,
  prefix?: string,
): NewObject<Pod> {
  const { labels = {}, annotations = {}, finalizers = [] } = template.metadata ?? {};
  const { name, namespace } = owner.metadata;
  const ownPrefix = `${name}-`;
  const generateName =
    prefix ?? (dnsSubdomainFaults(`${ownPrefix.slice(0, -2)}a`).length > 0 ? name : ownPrefix);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName,
      namespace,
      labels,
      annotations,
      ...(finalizers.length > 0 ? { finalizers } : {}),
      ownerReferences: [toControllerReference(owner)],
    },
    spec: template.spec ?? { containers: [] },
  };
}

/** Writes pods on behalf of one kind. */
export class PodControl {
  readonly #client: Client;
  readonly #recorder: SimulatorEventRecorder;
  readonly #kind: Kind<any>;

  constructor(client: Client, recorder: SimulatorEventRecorder, kind: Kind<any>) {
    this.#client = client;
    this.#recorder = recorder;
    this.#kind = kind;
  }

  /** Makes one pod. Does nothing in a namespace that is going. */
  async create(owner: ApiObject, template: PodTemplateSpec, prefix?: string): Promise<void> {
    const { apiVersion, kind } = this.#kind;
    try {
      const pod = await createObject(
        this.#client,
        Pod,
        podFromTemplate({ ...owner, apiVersion, kind }, template, prefix),
      );
      this.#tell(owner, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      this.#tell(owner, "Warning", "FailedCreate", `Error creating: ${messageOf(error)}`);
      throw error;
    }
  }

  /** Deletes one pod; one that is gone already is no failure. */
  async delete(owner: ApiObject, { metadata: { name, namespace } }: Pod): Promise<void> {
    try {
      await this.#client.delete(Pod, { name, namespace });
      this.#tell(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
    } catch (error) {
      if (isNotFound(error)) return;
      this.#tell(owner, "Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`);
      throw new Error(`unable to delete pods: ${messageOf(error)}`, { cause: error });
    }
  }

  #tell(owner: ApiObject, type: "Normal" | "Warning", reason: string, message: string): void {
    this.#recorder.record({ object: eventObject(this.#kind, owner), type, reason, message });
  }
}

/**
 * Calls `run` `count` times, in batches of 1, 2, 4, …; rejects after the first batch in which a
 * call did.
 */
export async function slowStart(count: number, run: () => Promise<void>): Promise<void> {
  let left = count;
  for (let size = Math.min(left, 1); size > 0; size = Math.min(2 * size, left)) {
    const batch = await Promise.allSettled(Array.from({ length: size }, run));
    for (const one of batch) if (one.status === "rejected") throw one.reason;
    left -= size;
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
