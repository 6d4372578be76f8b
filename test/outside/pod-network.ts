// A network in which the addresses of fake pods lead to the programs of this session: a network
// namespace with nothing but loopback, in which the range of pods is local. It needs Linux with
// user namespaces, changes nothing on the machine, and ends with the session.
import { spawn, spawnSync } from "node:child_process";

/** The range of the fake nodes (packages/apiserver/src/fake-nodes/kubelet/fake-node.ts). */
const podRange = "10.244.0.0/16";
const variable = "OUTSIDE_POD_NETWORK";
const namespace = ["--user", "--map-root-user", "--net", "sh", "-e", "-c"];
const setUp = `ip link set lo up; ip route add local ${podRange} dev lo`;

/** True in a process that {@link runInPodNetwork} started. */
export const isInPodNetwork = process.env[variable] !== undefined;

/** True if this machine can make such a network; without it pods answer nobody. */
export function hasPodNetwork(): boolean {
  const canMake = spawnSync("unshare", [...namespace, setUp]).status === 0;
  if (!canMake)
    console.log("  there is no network of pods (unshare, ip): cases that call pods will fail");
  return canMake;
}

/** Runs Node with these arguments in such a network; true if it succeeded. */
export function runInPodNetwork(args: readonly string[]): Promise<boolean> {
  const child = spawn(
    "unshare",
    [...namespace, `${setUp}; exec "$@"`, "sh", process.execPath, ...args],
    { stdio: "inherit", env: { ...process.env, [variable]: "1" } },
  );
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code === 0));
  });
}
