// The namespace of an operator's Leases where its options name none: the pod's, or outside of a pod
// that of the client, so that the same code runs with any manifests and on a laptop.
// Upstream: sigs.k8s.io/controller-runtime/pkg/leaderelection/leader_election.go
// (getInClusterNamespace), which knows pods only.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../client/client.ts";
import { serviceAccountFolder } from "../../client/kubeconfig/load-kubeconfig.ts";
import type { Log } from "../../util/guard-log.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";

/** What the namespace depends on. */
export interface LeaseNamespaceOptions {
  readonly operator: string;
  readonly client: Pick<Client, "namespace">;
  /** Where a pod has its service account; a parameter for tests. */
  readonly folder?: string;
  log(): Pick<Log, "info">;
}

/**
 * Outside of a pod the log names the namespace, because replicas in different ones would both lead.
 * @throws ERR_ELECTION_NAMESPACE in a pod that cannot read its own
 */
export async function readLeaseNamespace({
  operator,
  client: { namespace },
  folder = serviceAccountFolder,
  log,
}: LeaseNamespaceOptions): Promise<string> {
  const file = join(folder, "namespace");
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (cause) {
    if ((cause as { readonly code?: string }).code === "ENOENT") {
      const others = "replicas that run elsewhere, such as pods, have to share theirs there";
      log().info(
        `not in a pod: the Leases of ${operator} are in namespace ${namespace}; ${others}`,
      );
      return namespace;
    }
    throw new HomeostatError(
      "ERR_ELECTION_NAMESPACE",
      `starting ${operator}: no namespace for its Leases: ${file} cannot be read`,
      { hint: "let the pod's user read it, or name the namespace in the options", cause },
    );
  }
}
