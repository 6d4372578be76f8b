// Reads what the usage of ResourceClaims depends on, for quotas that may limit them under the names
// of extended resources.
// Upstream: k8s.io/kubernetes/pkg/quota/v1/install/registry.go
// (NewQuotaConfigurationForControllers).
import type { Client } from "homeostat/client";
import type { Decoded, Kind } from "homeostat/api";
import { Pod } from "homeostat/k8s/core/v1";
import { DeviceClass, ResourceClaim } from "homeostat/k8s/resource/v1";
import {
  type ClaimSurroundings,
  isBackedResource,
  mayBeBacked,
} from "../../kinds/core/quota/backed-resources.ts";

type Classes = readonly Decoded<DeviceClass>[];

/** Every class; undefined, and not read, when none can back a name. */
export async function readClasses(
  client: Client,
  names: readonly string[],
): Promise<Classes | undefined> {
  return names.some(mayBeBacked) ? await list(client, DeviceClass) : undefined;
}

/** With the pods and claims of the namespace, which are read only when a class backs a name. */
export async function readSurroundings(
  client: Client,
  classes: Classes,
  { names, namespace }: { readonly names: readonly string[]; readonly namespace: string },
): Promise<ClaimSurroundings> {
  if (!names.some((name) => isBackedResource(name, classes))) return justClasses(() => classes);
  const [pods, claims] = await Promise.all([
    list(client, Pod, namespace),
    list(client, ResourceClaim, namespace),
  ]);
  return {
    classes: () => classes,
    pod: (_, name) => pods.find(({ metadata }) => metadata?.name === name),
    claims: () => claims,
  };
}

/** Enough to tell which names quotas limit claims by. */
export const justClasses = (classes: () => Classes): ClaimSurroundings => ({
  classes,
  pod: () => undefined,
  claims: () => [],
});

const list = async <O extends object>(
  client: Client,
  kind: Kind<O>,
  namespace?: string,
): Promise<readonly Decoded<O>[]> =>
  (await client.list(kind, namespace === undefined ? {} : { namespace })).items as never;
