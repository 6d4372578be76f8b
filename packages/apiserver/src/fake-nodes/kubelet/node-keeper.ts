// Speaks for nodes: makes those that are wanted, gives them addresses and room, says whether they
// are ready, and renews their leases as long as they are not silent.
// Upstream: k8s.io/kubernetes/pkg/kubelet/kubelet_node_status.go,
// component-helpers/apimachinery/lease/controller.go.
import { isAlreadyExists, isConflict, isNotFound, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { type Client, dynamicKind } from "homeostat/client";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { isNodeReady } from "../../component-helpers/nodes/node-fit.ts";
import type { FakeNodesContext } from "../fake-nodes-context.ts";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import { Node } from "homeostat/k8s/core/v1";
import {
  addressOf,
  freeNetwork,
  leaseManifest,
  leaseMs,
  moodOf,
  type NodeNetwork,
  nodeManifest,
  nodeName,
  nodeStatus,
  renewTime,
} from "./fake-node.ts";

const leaseKind = dynamicKind({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  resource: "leases",
  scope: "Namespaced",
}) as Kind as Kind<ApiObject>;
const makeNodes = "nodes?";
/**
 * The taint that every new node has. Whoever watches over nodes takes it away; where nobody does,
 * the node does it itself.
 */
const notReady = "node.kubernetes.io/not-ready";

/** Starts speaking for every node. */
export class NodeKeeper extends KeyedController {
  readonly #client: Client;
  readonly #context: FakeNodesContext;
  readonly #nodes: Informer<Kind<Node>>;
  /** When leases are to be renewed, by name of the node; on the monotonic clock. */
  readonly #renewAt = new Map<string, { readonly uid: string; readonly at: number }>();

  /** By uid of the node. */
  readonly #networks = new Map<string, NodeNetwork>();

  constructor(context: FakeNodesContext, client: Client) {
    super(context, "the life of nodes");
    this.#context = context;
    this.#client = client;
    this.#nodes = this.acquire(Node);
    const wake = ({ key }: CachedObject): void => this.add(key);
    this.follow(this.#nodes, {
      added: wake,
      updated: (_, node) => wake(node),
      deleted: (node) => this.#forget(node),
    });
    this.add(makeNodes);
    this.start((key) => (key === makeNodes ? this.#make() : this.#keep(key)));
  }

  #forget({ key, uid }: CachedObject): void {
    this.#renewAt.delete(key);
    this.#networks.delete(uid);
  }

  /** As many as are wanted; one where none is there and no number was given. */
  async #make(): Promise<undefined> {
    const wanted = this.#context.fakeNodes ?? (this.#nodes.entries().length === 0 ? 1 : 0);
    for (let index = 0; index < wanted; index++) {
      if (this.#nodes.get({ name: nodeName(index) })) continue;
      await this.#client.create(Node, nodeManifest(index) as never).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    return undefined;
  }

  /** Resolves to when the node speaks next. */
  async #keep(name: string): Promise<number | undefined> {
    const node = this.#nodes.get({ name });
    const mood = node && moodOf(node);
    if (!node || mood === "silent" || mood === "not ours") return undefined;
    try {
      const network = this.#networkOf(node);
      await this.#place(node, network.podCidr);
      await this.#speak(node, addressOf(node) ?? network.hostIp);
      return mood === "unknown" ? undefined : await this.#renew(node);
    } catch (error) {
      if (isNotFound(error) && !this.#nodes.get({ name })) return undefined;
      if (!isConflict(error)) throw error;
      return undefined;
    }
  }

  /** Given out once, whether or not the cache shows it already. */
  #networkOf({ metadata: { uid } }: Node): NodeNetwork {
    const others = this.#nodes.list().filter(({ metadata }) => metadata.uid !== uid);
    const said = others.flatMap((other) => [other.spec?.podCIDR, addressOf(other)]);
    const promised = others.flatMap(
      ({ metadata }) => Object.values(this.#networks.get(metadata.uid) ?? {}) as string[],
    );
    const network =
      this.#networks.get(uid) ??
      freeNetwork(new Set([...said, ...promised].filter((one) => one !== undefined)));
    this.#networks.set(uid, network);
    return network;
  }

  async #place({ metadata, spec }: Node, podCidr: string): Promise<void> {
    if (spec?.podCIDR) return;
    await this.#client.patch(Node, metadata.name, {
      type: "strategic",
      body: { metadata: { uid: metadata.uid }, spec: { podCIDR: podCidr, podCIDRs: [podCidr] } },
    });
  }

  async #speak(node: Node, hostIp: string): Promise<void> {
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
