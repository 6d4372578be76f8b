// Runs the control plane's controllers beside the API: which ones the options ask for, and when
// they start. They are clients of the server in the same process.
// Upstream: k8s.io/kubernetes/cmd/kube-controller-manager/app/controllermanager.go.
import type { Runtime } from "homeostat/runtime";
import { type ApiServerOptions, warnOf } from "./api-server-options.ts";
import { reasonOf, ServerError } from "./apimachinery/errors/server-error.ts";
import type { Handler } from "./apimachinery/handler.ts";
import type { KindData } from "./apimachinery/kind-data/kind-data.ts";
import type { UserInfo } from "./apimachinery/user-info.ts";
import type { Authority } from "./certificates/authority.ts";
import type { ControllerDescriptor } from "./component-helpers/controller/controller.ts";
import type { Stage } from "./fake-nodes/stages/stage.ts";
import { createInProcessTransport } from "./http/in-process.ts";

const controllerManager: UserInfo = {
  name: "system:kube-controller-manager",
  groups: ["system:masters", "system:authenticated"],
};

/** The server's options, the certificate that its clients trust, and the authority that signs. */
export type ControllerOptions = ApiServerOptions & {
  readonly rootCa?: string;
  readonly signer?: Authority;
  readonly kindData: KindData;
};

/** Stops what was started. */
type Stop = () => Promise<void>;

/**
 * Starts the controllers that the options ask for. With `readyWhen: "serving"` resolves before they
 * have started, but not before their names and stages are known to be valid.
 */
export async function runControllers(
  handler: Handler,
  options: ControllerOptions,
  runtime: Runtime,
): Promise<Stop> {
  const names = controllerNames(options);
  if (names === "none") return async () => {};
  const start = (): Promise<Stop> => startControllers(names, handler, options, runtime);
  if (options.readyWhen !== "serving") return await start();
  if (names !== "default" && names !== "all") await chooseControllers(names);
  if (options.stages) await validateStages(options.stages);
  return startSoon(start, options, runtime);
}

/** The names in the form of `--controllers`, with what fake nodes and stages need. */
function controllerNames({
  controllers = "default",
  fakeNodes,
  stages = [],
}: ApiServerOptions): string {
  const needsKubelet =
    fakeNodes !== undefined ||
    stages.some(({ for: { kind } }) => kind === "Pod" || kind === "Node");
  const needsStages = stages.some(({ for: { kind } }) => kind !== "Pod");
  return [controllers, needsKubelet ? "pod-lifecycle" : [], needsStages ? "stages" : []]
    .flat(2)
    .join(",");
}

async function chooseControllers(names: string): Promise<readonly ControllerDescriptor[]> {
  const { chooseControllers, controllerNames } =
    await import("./controller-manager/start-controllers.ts");
  const choice = chooseControllers(names);
  if ("chosen" in choice) return choice.chosen;
  throw new ServerError(
    "ERR_SERVER_CONTROLLER",
    `start controllers ${names}: unknown controller ${JSON.stringify(choice.unknown)}; expected default, all (or *), none, or any of ${controllerNames().join(", ")}; a leading dash excludes a controller`,
  );
}

async function validateStages(stages: readonly Stage[]): Promise<readonly Stage[]> {
  const { checkStages } = await import("./fake-nodes/stages/parse-stages.ts");
  return checkStages(stages);
}

/** Starts in the next turn of the event loop, so that the caller gets its server first. */
function startSoon(start: () => Promise<Stop>, options: ApiServerOptions, runtime: Runtime): Stop {
  let started: Promise<Stop> | undefined;
  const failed = (error: unknown): Stop => {
    warnOf(options)(`the controllers did not start: ${reasonOf(error)}`, error);
    return async () => {};
  };
  const timer = runtime.clock.timer(0, () => {
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
  names: string,
  handler: Handler,
  options: ControllerOptions,
  runtime: Runtime,
): Promise<Stop> {
  const chosen = await chooseControllers(names);
  const { startControllers: start } = await import("./controller-manager/start-controllers.ts");
  const transport = createInProcessTransport(handler, controllerManager);
  const { kindData, rootCa, signer, fakeNodes, stages } = options;
  const given = {
    ...(rootCa === undefined ? {} : { rootCa }),
    ...(signer ? { signer } : {}),
    ...(fakeNodes === undefined ? {} : { fakeNodes }),
    ...(stages ? { stages: await validateStages(stages) } : {}),
  };
  const running = await start(chosen, {
    transport,
    runtime,
    kindData,
    warn: warnOf(options),
    ...given,
  });
  return async () => {
    await running.stop();
    await transport.close();
  };
}
