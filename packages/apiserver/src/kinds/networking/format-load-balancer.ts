// The addresses of a load balancer as tables show them.
// Upstream: k8s.io/kubernetes/pkg/printers/internalversion/printers.go
// (loadBalancerStatusStringer).
import { compareBytewise, type Decoded } from "homeostat/api";
import type { Service } from "homeostat/k8s/core/v1";
import type { Ingress } from "homeostat/k8s/networking/v1";

/**
 * Addresses, or host names where there is no address, each once. Upstream cuts the list for narrow
 * tables; the server's tables are wide.
 */
export function formatLoadBalancer({
  status,
}: {
  readonly status?: Decoded<Service>["status"] | Decoded<Ingress>["status"];
}): string {
  const points = status?.loadBalancer?.ingress ?? [];
  const texts = points.map(({ ip, hostname }) => ip || (hostname ?? "")).filter(Boolean);
  return [...new Set(texts)].sort(compareBytewise).join(",");
}
