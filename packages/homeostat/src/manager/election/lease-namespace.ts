// The namespace of the Lease of an operator that runs in a pod.
// Upstream: sigs.k8s.io/controller-runtime/pkg/leaderelection/leader_election.go
// (getInClusterNamespace).
import { readFile } from "node:fs/promises";
import { serviceAccountFolder } from "../../client/kubeconfig/load-kubeconfig.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";

/** @throws ERR_ELECTION_NAMESPACE outside of a pod */
export async function readLeaseNamespace(
  operator: string,
  option: "election" | "sharding",
): Promise<string> {
  const file = `${serviceAccountFolder}/namespace`;
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (cause) {
    throw new HomeostatError(
      "ERR_ELECTION_NAMESPACE",
      `starting ${operator}: no namespace for the Lease of its ${option}: ${file} cannot be read`,
      { hint: `outside of a cluster, give "${option}: { namespace }"`, cause },
    );
  }
}
