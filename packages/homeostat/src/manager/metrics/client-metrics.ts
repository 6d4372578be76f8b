// Requests of the manager's client, as client-go counts them for controller-runtime.
// Upstream: sigs.k8s.io/controller-runtime@v0.24.1 pkg/metrics/client_go_adapter.go,
// k8s.io/client-go/rest/request.go (`<error>` where there is no answer).
import type { Transport } from "../../api/transport.ts";
import type { ClientScope } from "../../client/client.ts";
import type { Counter, Labels, Metrics } from "../../metrics/index.ts";

/** Counts the attempts of a client. */
export function countRequests(
  set: Metrics,
  transport: Transport,
  labels: Labels,
): NonNullable<ClientScope["answered"]> {
  const requests = set.counter({
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, partitioned by status code, method, and host.",
    labels: [...Object.keys(labels), "code", "host", "method"],
  });
  const host = hostOf(transport);
  /** By method, then by status. */
  const counters = new Map<string, Map<number, Counter>>();
  return ({ method }, status) => {
    let byStatus = counters.get(method);
    if (!byStatus) counters.set(method, (byStatus = new Map()));
    let counter = byStatus.get(status);
    if (!counter) {
      const code = status === 0 ? "<error>" : `${status}`;
      counter = requests.with({ ...labels, code, host, method });
      byStatus.set(status, counter);
    }
    counter.inc();
  };
}

/** e.g. `10.96.0.1:443` */
function hostOf({ server }: Transport): string {
  const url = typeof server === "string" ? URL.parse(server) : undefined;
  return url?.host || "in-process";
}
