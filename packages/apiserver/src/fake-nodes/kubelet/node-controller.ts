// Creates fake nodes, reports the status of all managed nodes, and renews their leases.
// Upstream: k8s.io/kubernetes/pkg/kubelet/kubelet_node_status.go,
// component-helpers/apimachinery/lease/controller.go,
// sigs.k8s.io/kwok/pkg/kwok/controllers/{node_controller,node_lease_controller}.go.
import { isAlreadyExists, isConflict, isNotFound, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { type Client, dynamicKind } from "homeostat/client";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { isNodeReady } from "../../component-helpers/nodes/node-fit.ts";
import type { FakeNodesContext } from "../fake-nodes-context.ts";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import { Node } from "homeostat/k8s/core/v1";
import { type AnnotationCheck, createAnnotationCheck } from "./annotation-check.ts";
import {
  addressOf,
  freeNetwork,
  kubeletAnnotation,
  leaseManifest,
  leaseMs,
  nodeStateOf,
  type NodeNetwork,
  nodeManifest,
  nodeName,
  nodeStatus,
  readyAnnotation,
  readyValues,
  renewTime,
} from "./fake-node.ts";

const leaseKind = dynamicKind({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  resource: "leases",
  scope: "Namespaced",
}) as Kind as Kind<ApiObject>;
/** A work queue key that is not the name of a node. */
const createNodes = "nodes?";
/**
 * The taint of every new node. The node lifecycle controller removes it; if that does not run, this
 * controller does.
 */
const notReady = "node.kubernetes.io/not-ready";

/** Reports the status of nodes. Starts at once. */
export class NodeController extends KeyedController {
  readonly #client: Client;
  readonly #context: FakeNodesContext;
  readonly #nodes: Informer<Kind<Node>>;
  readonly #annotationChecks: readonly AnnotationCheck[];
  /** When to renew leases, by name of the node, on the monotonic clock. */
  readonly #renewAt = new Map<string, { readonly uid: string; readonly at: number }>();

  /** By uid of the node. */
  readonly #networks = new Map<string, NodeNetwork>();

  constructor(context: FakeNodesContext, client: Client) {
    super(context, "the node lifecycle");
    this.#context = context;
    this.#client = client;
    this.#annotationChecks = [
      createAnnotationCheck("node", readyAnnotation, readyValues, context),
      createAnnotationCheck("node", kubeletAnnotation, ["none"], context),
    ];
    this.#nodes = this.acquire(Node);
    const enqueue = ({ key }: CachedObject): void => this.add(key);
    this.follow(this.#nodes, {
      added: enqueue,
      updated: (_, node) => enqueue(node),
      deleted: (node) => this.#forget(node),
    });
    this.add(createNodes);
    this.start((key) => (key === createNodes ? this.#createNodes() : this.#sync(key)));
  }

  #forget({ key, uid }: CachedObject): void {
    this.#renewAt.delete(key);
    this.#networks.delete(uid);
  }

  /** Creates `fakeNodes` nodes. Without that number, creates one if the cluster has none. */
  async #createNodes(): Promise<undefined> {
    const wanted = this.#context.fakeNodes ?? (this.#nodes.entries().length === 0 ? 1 : 0);
    for (let index = 0; index < wanted; index++) {
      if (this.#nodes.get({ name: nodeName(index) })) continue;
      await this.#client.create(Node, nodeManifest(index) as never).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    return undefined;
  }

  /** Resolves to the milliseconds until the next renewal. */
  async #sync(name: string): Promise<number | undefined> {
    const node = this.#nodes.get({ name });
    if (node) for (const check of this.#annotationChecks) check(node);
    const state = node && nodeStateOf(node);
    if (!node || state === "silent" || state === "unmanaged") return undefined;
    try {
      const network = this.#networkOf(node);
      await this.#setPodCidr(node, network.podCidr);
      await this.#updateStatus(node, addressOf(node) ?? network.hostIp);
      return state === "unknown" ? undefined : await this.#renew(node);
    } catch (error) {
      if (isNotFound(error) && !this.#nodes.get({ name })) return undefined;
      if (!isConflict(error)) throw error;
      return undefined;
    }
  }

  /** The network of a node. Unique even if the cache does not show all allocated ones yet. */
  #networkOf({ metadata: { uid } }: Node): NodeNetwork {
    const others = this.#nodes.list().filter(({ metadata }) => metadata.uid !== uid);
    const reported = others.flatMap((other) => [other.spec?.podCIDR, addressOf(other)]);
    const allocated = others.flatMap(
      ({ metadata }) => Object.values(this.#networks.get(metadata.uid) ?? {}) as string[],
    );
    const network =
      this.#networks.get(uid) ??
      freeNetwork(new Set([...reported, ...allocated].filter((one) => one !== undefined)));
    this.#networks.set(uid, network);
    return network;
  }

  async #setPodCidr({ metadata, spec }: Node, podCidr: string): Promise<void> {
    if (spec?.podCIDR) return;
    await this.#client.patch(Node, metadata.name, {
      type: "strategic",
      body: { metadata: { uid: metadata.uid }, spec: { podCIDR: podCidr, podCIDRs: [podCidr] } },
    });
  }

  async #updateStatus(node: Node, hostIp: string): Promise<void> {
    const { name, uid } = node.metadata;
    const status = nodeStatus(node, { hostIp, now: this.#context.runtime.clock.now() });
    if (status)
      await this.#client.patch(
        Node,
        name,
        { type: "strategic", body: { metadata: { uid }, status } as never },
        { subresource: "status" },
      );
    const taints = node.spec?.taints ?? [];
    if (
      this.#context.chosen.has("nodelifecycle") ||
      !isNodeReady(node) ||
      !taints.some(({ key }) => key === notReady)
    )
      return;
    await this.#client.patch(Node, name, {
      type: "merge",
      body: {
        metadata: { uid, resourceVersion: node.metadata.resourceVersion },
        spec: { taints: taints.filter(({ key }) => key !== notReady) },
      },
    });
  }

  async #renew(node: Node): Promise<number> {
    const { name, uid } = node.metadata;
    const { clock } = this.#context.runtime;
    const before = this.#renewAt.get(name);
    const now = clock.monotonic();
    if (before?.uid === uid && before.at > now) return before.at - now;
    const renewal = {
      type: "merge" as const,
      body: { spec: { holderIdentity: name, renewTime: renewTime(clock.now()) } },
    };
    await this.#client
      .patch(leaseKind, { name, namespace: "kube-node-lease" }, renewal)
      .catch(async (error: unknown) => {
        if (!isNotFound(error)) throw error;
        await this.#client.create(leaseKind, leaseManifest(node, clock.now()) as never);
      });
    this.#renewAt.set(name, { uid, at: now + leaseMs.renewEvery });
    return leaseMs.renewEvery;
  }
}
