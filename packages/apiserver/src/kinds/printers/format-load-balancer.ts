// The addresses of a load balancer as tables show them.
// Upstream: k8s.io/kubernetes/pkg/printers/internalversion/printers.go
// (loadBalancerStatusStringer).
import { compareBytewise, type Decoded } from "homeostat/api";
import type { LoadBalancerStatus } from "homeostat/k8s/core/v1";
import type { IngressLoadBalancerStatus } from "homeostat/k8s/networking/v1";

/**
 * The IP address of each ingress point, or its host name without one, sorted and without repeats.
 * Tables of the server are wide and never cut them.
 */
export function formatLoadBalancer(
  status: Decoded<LoadBalancerStatus> | Decoded<IngressLoadBalancerStatus> | null | undefined,
): string {
  const texts = (status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  return [...new Set(texts.filter(Boolean))].sort(compareBytewise).join(",");
}
