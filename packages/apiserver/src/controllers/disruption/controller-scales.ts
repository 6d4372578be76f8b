// The expected number of pods: from the specs of built-in workloads, and from the scale subresource
// of other kinds.
// Upstream: k8s.io/kubernetes/pkg/controller/disruption/disruption.go (finders, getExpectedScale).
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { controllerOf, type Kind, type OwnerReference, parseApiVersion } from "homeostat/api";
import type { Informer } from "homeostat/cache";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import { Deployment, ReplicaSet, StatefulSet } from "homeostat/k8s/apps/v1";
import { type Pod, ReplicationController } from "homeostat/k8s/core/v1";
import type { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { ControllerContext } from "../../component-helpers/controller/controller.ts";

interface Scaled extends ApiObject {
  readonly spec: { readonly replicas?: number };
}

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

/** The groups of a built-in controller kind in owner references. */
const groups: Readonly<Record<string, readonly string[]>> = {
  ReplicationController: [""],
  ReplicaSet: ["apps", "extensions"],
  Deployment: ["apps", "extensions"],
  StatefulSet: ["apps"],
};

/** Sums the scales of controllers. */
export class ControllerScales {
  readonly #context: ControllerContext;
  readonly #known: ReadonlyMap<string, Informer<Kind<Scaled>>>;

  constructor(context: ControllerContext, controller: KeyedController) {
    this.#context = context;
    const kinds: readonly Kind<Scaled>[] = [
      ReplicationController,
      ReplicaSet,
      Deployment,
      StatefulSet,
    ];
    this.#known = new Map(kinds.map((kind) => [kind.kind, controller.acquire(kind)]));
  }

  /**
   * The total scale of the controllers of `pods`, and the pods without a controller. Rejects if a
   * scale cannot be found.
   */
  async expected(
    pods: readonly Pod[],
  ): Promise<{ readonly count: number; readonly unmanaged: readonly Pod[] }> {
    const scales = new Map<string, number>();
    const unmanaged: Pod[] = [];
    for (const pod of pods) {
      const reference = controllerOf(pod);
      if (!reference) unmanaged.push(pod);
      if (!reference || scales.has(reference.uid)) continue;
      const scale =
        this.#fromSpec(reference, pod.metadata.namespace ?? "") ??
        (await this.#fromSubresource(reference, pod.metadata.namespace ?? ""));
      if (!scale)
        throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
      scales.set(scale.uid, scale.replicas);
    }
    return { count: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
  }

  /** A ReplicaSet counts as its Deployment, if it has one. */
  #fromSpec(reference: OwnerReference, namespace: string): Scale | undefined {
    const found = this.#find(reference, namespace);
    if (!found) return undefined;
    const parent = reference.kind === "ReplicaSet" ? controllerOf(found) : undefined;
    const deployment = parent?.kind === "Deployment" ? this.#find(parent, namespace) : undefined;
    if (parent?.kind === "Deployment" && !deployment) return undefined;
    const { metadata, spec } = deployment ?? found;
    return { uid: metadata.uid, replicas: spec.replicas ?? 1 };
  }

  #find({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Scaled | undefined {
    if (groups[kind]?.includes(parseApiVersion(apiVersion)?.group ?? "") !== true) return undefined;
    const found = this.#known.get(kind)?.get({ namespace, name });
    return found?.metadata.uid === uid ? found : undefined;
  }

  async #fromSubresource(
    { apiVersion, kind, name, uid }: OwnerReference,
    namespace: string,
  ): Promise<Scale | undefined> {
    const served = await this.#context.kinds.find(apiVersion, kind);
    if (!served)
      throw new Error(
        `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
      );
    if (!served.subresources.includes("scale"))
      throw new Error(
        `${served.resource}${served.group ? `.${served.group}` : ""} does not implement the scale subresource`,
      );
    const anyKind: Kind = served;
    const found: Scaled | undefined = await this.#context.client
      .get(anyKind, { name, namespace }, { subresource: "scale" })
      .catch(ignoreNotFound);
    return found?.metadata.uid === uid ? { uid, replicas: found.spec.replicas ?? 0 } : undefined;
  }
}
