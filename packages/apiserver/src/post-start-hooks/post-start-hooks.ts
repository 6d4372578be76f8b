// What a server does by itself while it runs: its own objects come back, the groups of definitions
// have their API services, and a server that listens says that it is there.
// Upstream: the post-start hooks of
// k8s.io/kubernetes/pkg/controlplane/{instance,apiserver/server,apiserver/aggregator}.go.
import type { Handler } from "../apimachinery/handler.ts";
import { createLoopbackClient } from "./loopback-client.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import { startAvailabilityController } from "./apiservice-availability-controller.ts";
import type { ServerAddress } from "../apimachinery/server-address.ts";
import { startIdentityLeaseController } from "./identity-lease-controller.ts";
import { startSystemObjectsController } from "./system-objects-controller.ts";
import { startCrdRegistrationController } from "./crd-registration-controller.ts";

export interface PostStartHookOptions {
  readonly core: CoreServices;
  readonly handler: Handler;
  /** The server's own objects as they are made, as texts. */
  readonly ownObjects: () => readonly string[];
  /** Absent where nothing listens: then there is nobody to be told, and no timer runs. */
  readonly address?: ServerAddress;
}

/** Starts it. Returns what ends it, and takes away what said that the server is there. */
export function startPostStartHooks({
  core,
  handler,
  ownObjects,
  address,
}: PostStartHookOptions): () => Promise<void> {
  const call = createLoopbackClient(handler);
  const stopKeeping = startSystemObjectsController({ core, call, ownObjects });
  const stopRegistering = startCrdRegistrationController(core, call);
  const stopChecking = startAvailabilityController(core, call);
  const endLease =
    address && startIdentityLeaseController({ call, runtime: core.runtime, address });
  return async () => {
    stopKeeping();
    stopRegistering();
    stopChecking();
    await endLease?.();
  };
}
