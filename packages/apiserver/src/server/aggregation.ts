// The aggregator of a control plane, and how the availability of its APIServices is checked.
// Upstream: k8s.io/kubernetes/pkg/controlplane/apiserver/aggregator.go.
import type { Runtime } from "homeostat/runtime";
import { Aggregator } from "../aggregator/aggregator.ts";
import type { FrontProxyCertificate } from "../aggregator/forwarder.ts";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { RemoteCheck } from "../post-start-hooks/apiservice-availability-controller.ts";
import { publishFrontProxy } from "../post-start-hooks/front-proxy-trust.ts";
import type { LoopbackClient } from "../post-start-hooks/loopback-client.ts";
import type { Store } from "../storage/store.ts";
import type { WebhookServices } from "./webhook-services.ts";

interface AggregationOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly frontProxy?: (() => Promise<FrontProxyCertificate>) | undefined;
}

/** What a control plane needs to pass requests on. */
export interface Aggregation {
  readonly aggregator: Aggregator;
  check(loopback: LoopbackClient): RemoteCheck;
}

export function createAggregation(
  { store, runtime, frontProxy }: AggregationOptions,
  catalog: ResourceCatalog,
  services: WebhookServices,
): Aggregation {
  const aggregator = new Aggregator({
    core: { store, catalog },
    resolve: services.resolve,
    isLocated: services.isLocated,
    clock: runtime.clock,
    certificate: frontProxy,
  });
  return { aggregator, check: (loopback) => remoteCheck(aggregator, loopback, frontProxy) };
}

/** The front proxy is published once, before the first check. */
function remoteCheck(
  aggregator: Aggregator,
  loopback: LoopbackClient,
  certificate: AggregationOptions["frontProxy"],
): RemoteCheck {
  let published: Promise<void> | undefined;
  const publish = async (): Promise<void> => {
    if (certificate) await publishFrontProxy(loopback, (await certificate()).ca);
  };
  return {
    isLocated: (...service) => aggregator.isLocated(...service),
    check: (name, url) => aggregator.check(name, url),
    publishTrust: async () => {
      published ??= publish();
      await published.catch((error: unknown) => {
        published = undefined;
        throw error;
      });
    },
  };
}
