// Reads what the usage of ResourceClaims depends on, for quotas that limit them or may limit them
// under the names of extended resources.
// Upstream: k8s.io/kubernetes/pkg/quota/v1/install/registry.go
// (NewQuotaConfigurationForControllers).
import type { Client } from "homeostat/client";
import type { Decoded } from "homeostat/api";
import { Pod } from "homeostat/k8s/core/v1";
import { DeviceClass, ResourceClaim } from "homeostat/k8s/resource/v1";
import {
  type ClaimSurroundings,
  isClaimedResource,
} from "../../kinds/core/quota/backed-resources.ts";

/** As of the last {@link read} of a namespace. */
export class ReadSurroundings implements ClaimSurroundings {
  readonly #client: Client;
  #classes: readonly Decoded<DeviceClass>[] = [];
  readonly #pods = new Map<string, readonly Decoded<Pod>[]>();
  readonly #claims = new Map<string, readonly Decoded<ResourceClaim>[]>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Reads nothing for names that no claim uses. */
  async read(names: readonly string[], namespace: string): Promise<void> {
    if (names.some((name) => name.includes("/")))
      this.#classes = (await this.#client.list(DeviceClass, {})).items as never;
    if (!names.some((name) => isClaimedResource(name, this))) return;
    const [pods, claims] = await Promise.all([
      this.#client.list(Pod, { namespace }),
      this.#client.list(ResourceClaim, { namespace }),
    ]);
    this.#pods.set(namespace, pods.items as never);
    this.#claims.set(namespace, claims.items as never);
  }

  classes = (): readonly Decoded<DeviceClass>[] => this.#classes;

  pod = (namespace: string, name: string): Decoded<Pod> | undefined =>
    this.#pods.get(namespace)?.find(({ metadata }) => metadata?.name === name);

  claims = (namespace: string): readonly Decoded<ResourceClaim>[] =>
    this.#claims.get(namespace) ?? [];
}
