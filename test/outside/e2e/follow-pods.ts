// Follows the pods of a server until it is stopped, through every break of the watch.
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import { Pod } from "homeostat/k8s/core/v1";

/** Between two attempts to watch. */
const pauseMs = 1_000;

/** What is done with pods. */
export interface PodFollower<P> {
  changed(pod: P, client: Client): void;
  deleted(uid: string): void;
}

/** Starts; call the result to stop. */
export async function followPods<P>(
  kubeconfig: string,
  follower: PodFollower<P>,
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

async function follow<P>(
  client: Client,
  { changed, deleted }: PodFollower<P>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { type, object } of client.watch(Pod, { signal })) {
        changed(object as P, client);
        if (type === "DELETED") deleted(object.metadata.uid);
      }
    } catch (error) {
      if (signal.aborted) return;
      console.error(`watching the pods of the tests: ${String(error)}`);
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}
