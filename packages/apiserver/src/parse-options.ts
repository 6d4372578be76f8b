// Parses a server's options before anything starts: names, types and ranges, then controllers,
// stages and service ranges. Imports a parser only when an option needs it.
// Upstream: k8s.io/kubernetes/cmd/kube-controller-manager/app/controllermanager.go.
import { type ApiServerOptions, warnOf } from "./api-server-options.ts";
import { optionError } from "./apimachinery/errors/server-error.ts";
import type { ControllerDescriptor } from "./component-helpers/controller/controller.ts";
import type { Stage } from "./fake-nodes/stages/stage.ts";
import type { parseServerOptions } from "./server/server-options.ts";
import { validateOptions } from "./validate-options.ts";

/** The controllers that options ask for. */
export interface ControllerSelection {
  /** In the form of `--controllers`. */
  readonly names: string;
  /** What fake nodes and stages need in addition. */
  readonly needed: readonly string[];
}

/** Valid options of a server. */
export interface ParsedOptions extends ApiServerOptions {
  readonly selection: ControllerSelection;
  /** What the API server itself takes from them. */
  readonly core: ReturnType<typeof parseServerOptions>;
}

/** Parses `options`. @throws ServerError that lists every fault. */
export async function parseOptions(options: ApiServerOptions): Promise<ParsedOptions> {
  const faults = validateOptions(options);
  if (faults.length > 0) throw optionError("ERR_SERVER_OPTION", faults);
  const stages = options.stages?.length ? await parseStages(options.stages) : [];
  const selection = selectControllers(options, stages);
  if (!["default", "all", "none"].includes(selection.names)) await chooseControllers(selection);
  const warn = (message: string): void => warnOf(options)(message, undefined);
  if (selection.names === "none" && selection.needed.length)
    warn(
      `controllers: none still runs ${selection.needed.join(", ")}, which fakeNodes or stages need`,
    );
  const { parseServerOptions: parseCore } = await import("./server/server-options.ts");
  return {
    ...options,
    selection,
    stages,
    core: parseCore(
      { ...(await configured(options)), podsHaveAccounts: havePodsAccounts(options) },
      warn,
    ),
  };
}

/** Controllers that create the account `default` of each namespace. */
const accountCreators = new Set(["all", "*", "serviceaccount", "serviceaccount-controller"]);

/** True if pods run on fake nodes, and namespaces have the account that they run as. */
function havePodsAccounts({ fakeNodes, controllers }: ApiServerOptions): boolean {
  const names = [controllers ?? []]
    .flat()
    .flatMap((each) => each.split(",").map((name) => name.trim()));
  const isRemoved = names.some(
    (name) => name.startsWith("-") && accountCreators.has(name.slice(1)),
  );
  return fakeNodes !== undefined && !isRemoved && names.some((name) => accountCreators.has(name));
}

/** With what the file of configurations says of admission plug-ins. */
async function configured(
  options: ApiServerOptions,
): Promise<Parameters<typeof parseServerOptions>[0]> {
  const { admissionControlConfigFile: file, admissionPlugins } = options;
  if (file === undefined) return options;
  const { readAdmissionConfiguration: read } = await import("./read-admission-configuration.ts");
  return {
    ...options,
    admissionPlugins: { ...admissionPlugins, configurations: await read(file) },
  };
}

/** The descriptors of a selection. @throws ServerError ERR_SERVER_CONTROLLER */
export async function chooseControllers({
  names,
  needed,
}: ControllerSelection): Promise<readonly ControllerDescriptor[]> {
  const { chooseControllers: choose } = await import("./controller-manager/start-controllers.ts");
  const choice = choose(names, needed);
  if ("chosen" in choice) return choice.chosen;
  throw optionError("ERR_SERVER_CONTROLLER", [{ option: "controllers", problem: choice.problem }]);
}

function selectControllers(
  { controllers = "default", fakeNodes }: ApiServerOptions,
  stages: readonly Stage[],
): ControllerSelection {
  const needsKubelet =
    fakeNodes !== undefined ||
    stages.some(({ for: { kind } }) => kind === "Pod" || kind === "Node");
  const needsStages = stages.some(({ for: { kind } }) => kind !== "Pod");
  return {
    names: [controllers].flat().join(","),
    needed: [...(needsKubelet ? ["pod-lifecycle"] : []), ...(needsStages ? ["stages"] : [])],
  };
}

async function parseStages(values: readonly unknown[]): Promise<readonly Stage[]> {
  const { readStages } = await import("./fake-nodes/stages/parse-stages.ts");
  return readStages(values);
}
