// What the rows of requests and lists work on: orders and config maps, made and put in place.
import type { Kind } from "homeostat";
import type { Client } from "homeostat/client";
import { order, Order } from "./objects.ts";
import { configMaps, inLanes } from "./with-client.ts";

/** The value of a config map's one key. */
export const text = "a".repeat(1000);

/** One config map of 1 KB. */
export const configMap = (i: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: `map-${String(i).padStart(6, "0")}` },
  data: { text },
});

/** A kind, how its objects are made, and where they are. */
export interface Subject {
  readonly kind: Kind;
  readonly manifest: (i: number) => object;
  path(namespace: string, name?: string): string;
}

/** Custom resources. */
export const orders: Subject = {
  kind: Order,
  manifest: order,
  path: (namespace, name = "") =>
    `/apis/bench.example.com/v1/namespaces/${namespace}/orders${name && `/${name}`}`,
};

/** A built-in kind. */
export const maps: Subject = {
  kind: configMaps,
  manifest: configMap,
  path: (namespace, name = "") => `/api/v1/namespaces/${namespace}/configmaps${name && `/${name}`}`,
};

/** Creates `count` objects; resolves to them as the server answered. */
export async function fill(
  client: Client,
  { kind, manifest }: Subject,
  count: number,
): Promise<Awaited<ReturnType<Client["create"]>>[]> {
  const created: Awaited<ReturnType<Client["create"]>>[] = [];
  await inLanes(count, 16, async (i) => created.push(await client.create(kind, manifest(i))));
  return created;
}
