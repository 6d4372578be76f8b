// The server's own controllers, which run as long as it does.
// Upstream: the post-start hooks of k8s.io/kubernetes/pkg/controlplane/{instance,apiserver/server,
// apiserver/aggregator}.go.
import type { ServerAddress } from "../apimachinery/server-address.ts";
import { AvailabilityController, type RemoteCheck } from "./apiservice-availability-controller.ts";
import { CrdRegistrationController } from "./crd-registration-controller.ts";
import { startEventTtl } from "./event-ttl.ts";
import { FlowSchemaStatusController } from "./flow-schema-status-controller.ts";
import { IdentityLeaseController } from "./identity-lease-controller.ts";
import {
  type Advertised,
  KubernetesEndpointsController,
} from "./kubernetes-endpoints-controller.ts";
import {
  startSystemObjectsControllers,
  type SystemObjectsOptions,
} from "./system-objects-controller.ts";

export interface PostStartHookOptions extends SystemObjectsOptions {
  /** Reaches the servers behind APIServices. */
  readonly remote?: RemoteCheck | undefined;
  /** Absent when the server does not listen: it announces no Lease then. */
  readonly address?: ServerAddress;
  /** Where clients in the cluster reach the server; the service `kubernetes` gets its endpoints. */
  readonly advertised?: Advertised | undefined;
  /** How long an Event is kept after its last write; 0 for ever. Default one hour. */
  readonly eventTtlMs?: number | undefined;
}

/** Starts the hooks. Returns a function that stops them. */
export function startPostStartHooks(options: PostStartHookOptions): () => Promise<void> {
  const { core, loopback, address, advertised, eventTtlMs } = options;
  const stopEventTtl = startEventTtl(options, eventTtlMs);
  const controllers = [
    ...startSystemObjectsControllers(options),
    new CrdRegistrationController(options),
    new AvailabilityController(options),
    new FlowSchemaStatusController(options),
    ...(address ? [new IdentityLeaseController({ loopback, runtime: core.runtime, address })] : []),
    ...(advertised ? [new KubernetesEndpointsController(options, advertised)] : []),
  ];
  return async () => {
    stopEventTtl();
    await Promise.all(controllers.map((controller) => controller.stop()));
  };
}
