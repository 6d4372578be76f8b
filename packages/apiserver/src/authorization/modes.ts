// The authorization modes that a server may have, by upstream's names.
// Upstream: k8s.io/kubernetes/pkg/kubeapiserver/{options/authorization.go,authorizer/modes}.

const supported = ["AlwaysAllow", "AlwaysDeny", "RBAC"] as const;
const unsupported = ["ABAC", "Node", "Webhook"];

/** A mode that this server has. */
export type AuthorizationMode = (typeof supported)[number];

/** As kube-apiserver runs in a cluster; its own default is AlwaysAllow. */
export const defaultModes: readonly AuthorizationMode[] = ["RBAC"];

/** What is wrong with modes in this order; empty when nothing is. */
export function modeFaults(modes: readonly string[]): readonly string[] {
  const known: readonly string[] = supported;
  if (modes.length === 0) return ["expected at least one mode, got none"];
  const faults = modes.flatMap((mode) => {
    if (known.includes(mode)) return [];
    const shown = JSON.stringify(mode);
    return unsupported.includes(mode)
      ? [`mode ${shown} is not implemented; expected any of ${known.join(", ")}`]
      : [`expected any of ${known.join(", ")}; got ${shown}`];
  });
  const isRepeated = new Set(modes).size < modes.length;
  return isRepeated ? [...faults, `expected each mode once, got ${modes.join(",")}`] : faults;
}
