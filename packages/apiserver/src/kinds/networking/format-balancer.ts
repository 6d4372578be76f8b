// The addresses of a load balancer as tables show them.
// Upstream: k8s.io/kubernetes/pkg/printers/internalversion/printers.go
// (loadBalancerStatusStringer).
import { compareBytewise, type JsonObject } from "homeostat/api";
import { itemsAt, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";

/**
 * Addresses, or host names where there is none, each once; tables that the server makes are wide
 * and never cut them.
 */
export function formatBalancer(object: JsonObject): string {
  const points = itemsAt(objectAt(objectAt(object, "status"), "loadBalancer"), "ingress");
  const texts = points
    .map((point) => stringAt(point, "ip") || stringAt(point, "hostname"))
    .filter(Boolean);
  return [...new Set(texts)].sort(compareBytewise).join(",");
}
