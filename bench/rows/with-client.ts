// Provides a row with a client, the installed definition and a new namespace, which is deleted
// afterwards.
import { installDefinitions, type Kind } from "homeostat";
import { type Client, createClient, dynamicKind, loadKubeconfig } from "homeostat/client";
import type { Place } from "../places/place.ts";
import { Order } from "./objects.ts";

/** Namespaces, without types. */
export const namespaces: Kind = dynamicKind({
  apiVersion: "v1",
  kind: "Namespace",
  resource: "namespaces",
  scope: "Cluster",
});
/** Config maps, without types: the built-in kind that upstream serves fastest. */
export const configMaps: Kind = dynamicKind({
  apiVersion: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  scope: "Namespaced",
});

/** Runs `work` with a client whose namespace is fresh. */
export async function withClient<T>(
  place: Place,
  name: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const namespace = `bench-${name}`;
  const client = createClient({
    access: await loadKubeconfig({ path: place.kubeconfigPath }),
    namespace,
    fieldManager: "bench",
    userAgent: "bench",
  });
  try {
    await client.create(namespaces, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    await installDefinitions(client, [Order]);
    return await work(client);
  } finally {
    await client.deleteCollection(Order, { namespace }).catch(() => {});
    await client.deleteCollection(configMaps, { namespace }).catch(() => {});
    await client.close();
  }
}

/** Calls `run` for 0 to `count` - 1, `lanes` at a time; resolves to milliseconds of each call. */
export async function inLanes(
  count: number,
  lanes: number,
  run: (i: number) => Promise<unknown>,
): Promise<number[]> {
  const samples: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      const start = performance.now();
      await run(i);
      samples.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return samples;
}
