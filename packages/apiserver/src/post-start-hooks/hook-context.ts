// What post-start hooks work with: the server's services, and its own client.
import type { CoreServices } from "../registry/scope/core-services.ts";
import type { LoopbackClient } from "./loopback-client.ts";

export interface HookContext {
  readonly core: CoreServices;
  readonly loopback: LoopbackClient;
  /** Reports a failure that retries do not mend. */
  readonly warn?: ((message: string, error: unknown) => void) | undefined;
}
