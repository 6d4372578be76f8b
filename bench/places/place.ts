// A server under test: how to connect to it, its processes, and the durability of its writes.

/** A running API server in processes of its own. */
export interface Place {
  readonly name: "homeostat" | "kube-apiserver + etcd" | "bare Node";
  readonly kubeconfigPath: string;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/** A way to start a {@link Place}; undefined when its programs are not there. */
export interface Peer {
  readonly name: Place["name"];
  /** What an acknowledged write survives. */
  readonly durability: string;
  /** Why it cannot run here; undefined when it can. */
  absent(): string | undefined;
  start(): Promise<Place>;
}
