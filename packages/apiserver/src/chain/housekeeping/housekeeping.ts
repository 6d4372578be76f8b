// What a server does by itself while it runs: its own objects come back, the groups of definitions
// have their API services, and a server that listens says that it is there.
// Upstream: the post-start hooks of
// k8s.io/kubernetes/pkg/controlplane/{instance,apiserver/server,apiserver/aggregator}.go.
import type { Handler } from "../../http/handler.ts";
import { createApiCaller } from "../../kinds/apiextensions/api-caller.ts";
import type { CoreServices } from "../../registry/core-services.ts";
import { checkAvailability } from "./check-availability.ts";
import type { ServerAddress } from "../server-address.ts";
import { keepIdentityLease } from "./identity-lease.ts";
import { keepOwnObjects } from "./keep-own-objects.ts";
import { registerDefinitions } from "./register-definitions.ts";

export interface HousekeepingOptions {
  readonly core: CoreServices;
  readonly handler: Handler;
  /** The server's own objects as they are made, as texts. */
  readonly ownObjects: () => readonly string[];
  /** Absent where nothing listens: then there is nobody to be told, and no timer runs. */
  readonly address?: ServerAddress;
}

/** Starts it. Returns what ends it, and takes away what said that the server is there. */
export function startHousekeeping({
  core,
  handler,
  ownObjects,
  address,
}: HousekeepingOptions): () => Promise<void> {
  const call = createApiCaller(handler);
  const stopKeeping = keepOwnObjects({ core, call, ownObjects });
  const stopRegistering = registerDefinitions(core, call);
  const stopChecking = checkAvailability(core, call);
  const endLease = address && keepIdentityLease({ call, runtime: core.runtime, address });
  return async () => {
    stopKeeping();
    stopRegistering();
    stopChecking();
    await endLease?.();
  };
}
