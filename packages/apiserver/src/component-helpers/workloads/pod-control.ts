// Creates and deletes pods for a controller and records events about it. Many creations start
// slowly, so that a refusal is met once and not a hundred times.
// Upstream: k8s.io/kubernetes/pkg/controller/controller_utils.go (RealPodControl),
// replicaset/replica_set.go (slowStartBatch).
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { createObject, type NewObject } from "../meta/write-object.ts";
import { dnsSubdomainFaults, isNotFound, toControllerReference, type Kind } from "homeostat/api";
import type { Client } from "homeostat/client";
import { eventsAbout, type ObjectEvents } from "../controller/events-about.ts";
import type { EventRecorder } from "homeostat/events";
import { isNamespaceTerminating } from "../errors/terminating-namespace.ts";
import type { ApiObject } from "../meta/api-object.ts";
import { Pod, type PodTemplateSpec } from "homeostat/k8s/core/v1";

/**
 * A pod of `owner` from a template. The server generates the name, from the owner's name unless a
 * prefix is given.
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

/** Writes pods on behalf of one kind of owner. */
export class PodControl {
  readonly #client: Client;
  readonly #recorder: EventRecorder;
  readonly #kind: Kind<any>;

  constructor(client: Client, recorder: EventRecorder, kind: Kind<any>) {
    this.#client = client;
    this.#recorder = recorder;
    this.#kind = kind;
  }

  /** Creates one pod. Does nothing in a namespace that is being deleted. */
  async create(owner: ApiObject, template: PodTemplateSpec, prefix?: string): Promise<void> {
    const { apiVersion, kind } = this.#kind;
    try {
      const pod = await createObject(
        this.#client,
        Pod,
        podFromTemplate({ ...owner, apiVersion, kind }, template, prefix),
      );
      this.#events(owner).normal("SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      this.#events(owner).warning("FailedCreate", `Error creating: ${reasonOf(error)}`);
      throw error;
    }
  }

  /** Deletes one pod. A missing pod is no error. */
  async delete(owner: ApiObject, { metadata: { name, namespace } }: Pod): Promise<void> {
    try {
      await this.#client.delete(Pod, { name, namespace });
      this.#events(owner).normal("SuccessfulDelete", `Deleted pod: ${name}`);
    } catch (error) {
      if (isNotFound(error)) return;
      this.#events(owner).warning("FailedDelete", `Error deleting: ${reasonOf(error)}`);
      throw new Error(`unable to delete pods: ${reasonOf(error)}`, { cause: error });
    }
  }

  #events(owner: ApiObject): ObjectEvents {
    return eventsAbout(this.#recorder, this.#kind, owner);
  }
}

/**
 * Calls `run` `count` times, in batches of 1, 2, 4, …. Rejects after the first batch in which a
 * call rejects.
 */
export async function slowStart(count: number, run: () => Promise<void>): Promise<void> {
  let left = count;
  for (let size = Math.min(left, 1); size > 0; size = Math.min(2 * size, left)) {
    const batch = await Promise.allSettled(Array.from({ length: size }, run));
    for (const one of batch) if (one.status === "rejected") throw one.reason;
    left -= size;
  }
}
