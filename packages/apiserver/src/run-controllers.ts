// Runs the control plane's controllers beside the API, once the options say. They are clients of
// the server in the same process.
// Upstream: k8s.io/kubernetes/cmd/kube-controller-manager/app/controllermanager.go.
import type { Runtime } from "homeostat/runtime";
import { type ApiServerOptions, warnOf } from "./api-server-options.ts";
import { reasonOf } from "./apimachinery/errors/server-error.ts";
import type { Handler } from "./apimachinery/handler.ts";
import type { KindData } from "./apimachinery/kind-data/kind-data.ts";
import type { UserInfo } from "./apimachinery/user-info.ts";
import type { Authority } from "homeostat/certificates";
import { createInProcessTransport } from "./http/in-process.ts";
import { chooseControllers, type ParsedOptions } from "./parse-options.ts";

const controllerManager: UserInfo = {
  name: "system:kube-controller-manager",
  groups: ["system:masters", "system:authenticated"],
};

/** What the controllers are given, beside the API. */
export interface ControllerOptions {
  /** The certificate that clients of the server trust. */
  readonly rootCa?: string;
  /** The authority that signs. */
  readonly signer?: Authority;
  readonly kindData: KindData;
}

/** Stops what was started. */
type Stop = () => Promise<void>;

/**
 * Starts the controllers that the options ask for. With `readyWhen: "serving"` resolves before they
 * have started.
 */
export async function runControllers(
  handler: Handler,
  options: ParsedOptions,
  given: ControllerOptions,
  runtime: Runtime,
): Promise<Stop> {
  const { names, needed } = options.selection;
  if (names === "none" && needed.length === 0) return async () => {};
  const start = (): Promise<Stop> => startControllers(handler, options, given, runtime);
  return options.readyWhen === "serving" ? startSoon(start, options, runtime) : await start();
}

/**
 * Their start takes as long as that of the server, and what starts a server often has a request
 * right away, such as for a definition: that comes first.
 */
const behindMs = 250;

/** Starts once the caller has its server and could send a first request. */
function startSoon(start: () => Promise<Stop>, options: ApiServerOptions, runtime: Runtime): Stop {
  let started: Promise<Stop> | undefined;
  const failed = (error: unknown): Stop => {
    warnOf(options)(`the controllers did not start: ${reasonOf(error)}`, error);
    return async () => {};
  };
  const timer = runtime.clock.timer(behindMs, () => {
    started = start().catch(failed);
  });
  return async () => {
    timer.cancel();
    await (
      await started
    )?.();
  };
}

async function startControllers(
  handler: Handler,
  options: ParsedOptions,
  given: ControllerOptions,
  runtime: Runtime,
): Promise<Stop> {
  const chosen = await chooseControllers(options.selection);
  const { startControllers: start } = await import("./controller-manager/start-controllers.ts");
  const { fakeNodes, stages, wrapTransport = (transport) => transport } = options;
  const transport = wrapTransport(createInProcessTransport(handler, controllerManager));
  const running = await start(chosen, {
    transport,
    runtime,
    warn: warnOf(options),
    ...given,
    ...(fakeNodes === undefined ? {} : { fakeNodes }),
    ...(stages ? { stages } : {}),
  });
  return async () => {
    await running.stop();
    await transport.close();
  };
}
