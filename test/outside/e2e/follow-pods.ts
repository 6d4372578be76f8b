// Follows the pods of a server until it is stopped, through every break of the watch.
import { type Client, createClient, dynamicKind, loadKubeconfig } from "homeostat/client";

const pods = dynamicKind({ apiVersion: "v1", kind: "Pod", resource: "pods", scope: "Namespaced" });

/** What is done with pods. */
export interface PodFollower<Pod> {
  changed(pod: Pod, client: Client): void;
  deleted(uid: string): void;
}

/** Starts; call the result to stop. */
export async function followPods<Pod>(
  kubeconfig: string,
  follower: PodFollower<Pod>,
): Promise<() => Promise<void>> {
  const client = createClient({ access: await loadKubeconfig({ path: kubeconfig }) });
  const stop = new AbortController();
  const following = follow(client, follower, stop.signal);
  return async () => {
    stop.abort();
    await following;
    await client.close();
  };
}

async function follow<Pod>(
  client: Client,
  { changed, deleted }: PodFollower<Pod>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { type, object } of client.watch(pods, { signal })) {
        changed(object as Pod, client);
        if (type === "DELETED") deleted(object.metadata.uid);
      }
    } catch (error) {
      if (!signal.aborted) console.error(`watching the pods of the tests: ${String(error)}`);
    }
  }
}
