// The real stack: kube-apiserver and etcd as envtest starts them, built by tools/reference (needs
// Go).
import { missingBinaries } from "../../tools/reference/build-reference.ts";
import { readState, startReference } from "../../tools/reference/start-reference.ts";
import type { Peer, Place } from "./place.ts";

/** The real kube-apiserver with the real etcd. */
export const reference: Peer = {
  name: "kube-apiserver + etcd",
  durability: "etcd without fsync",
  absent: () =>
    missingBinaries().length ? "not built; node tools/reference/reference.ts build" : undefined,
  async start(): Promise<Place> {
    const running = await startReference();
    return {
      name: "kube-apiserver + etcd",
      kubeconfigPath: running.kubeconfigPath,
      pids: readState(running.kubeconfigPath)?.pids ?? [],
      stop: () => running.stop(),
    };
  },
};
