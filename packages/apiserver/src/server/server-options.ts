// Parses server options: admission plug-ins by name, ranges of cluster addresses and node ports.
// Invalid values abort startup.
// Upstream: k8s.io/kubernetes/pkg/controlplane/apiserver/options.
import type { AuthorizationMode } from "../authorization/modes.ts";
import { enabledGroups, type GatedApis, gatedApiFaults, gatedApiWarnings } from "./gated-apis.ts";
import { readServiceRanges, type ServiceRanges } from "../kinds/core/service/service-ranges.ts";
import { optionError, reasonOf } from "../apimachinery/errors/server-error.ts";
import { choiceFaults, configurationFaults, type PluginChoice } from "../admission/plugins.ts";
import type { ControlPlaneOptions } from "./control-plane.ts";

export interface ServerOptions extends GatedApis {
  readonly admissionPlugins?: PluginChoice;
  readonly authorizationModes?: readonly AuthorizationMode[];
  /**
   * Pods run, and a controller creates the accounts that they run as: the admission plug-in
   * ServiceAccount is on by default, as upstream. Elsewhere it is off.
   */
  readonly podsHaveAccounts?: boolean;
  readonly serviceClusterIpRange?: string;
  readonly serviceNodePortRange?: string;
}

/** The parsed options; warns of those without effect. Throws a {@link ServerError}. */
export function parseServerOptions(
  options: ServerOptions,
  warn: (message: string) => void,
): Pick<ControlPlaneOptions, "plugins" | "serviceRanges" | "authorizationModes" | "enabledGroups"> {
  const { authorizationModes } = options;
  const faults = gatedApiFaults(options);
  if (faults.length) throw optionError("ERR_SERVER_OPTION", faults);
  gatedApiWarnings(options).forEach((message) => warn(message));
  return {
    enabledGroups: enabledGroups(options),
    plugins: parsePlugins(options),
    serviceRanges: parseRanges(options),
    ...(authorizationModes ? { authorizationModes } : {}),
  };
}

function parsePlugins({ admissionPlugins = {}, podsHaveAccounts }: ServerOptions): PluginChoice {
  const faults = [...choiceFaults(admissionPlugins), ...configurationFaults(admissionPlugins)];
  if (faults.length) throw optionError("ERR_SERVER_ADMISSION_PLUGIN", faults);
  const { enable = [], disable = [], configurations = {} } = admissionPlugins;
  const off = podsHaveAccounts ? [] : ["ServiceAccount"];
  return { enable, disable: [...disable, ...off], configurations };
}

function parseRanges(options: ServerOptions): ServiceRanges {
  const { serviceClusterIpRange: addresses, serviceNodePortRange: ports } = options;
  return {
    ...readRange("serviceClusterIpRange", addresses === undefined ? {} : { addresses }),
    ports: readRange("serviceNodePortRange", ports === undefined ? {} : { ports }).ports,
  };
}

function readRange(
  option: keyof ServerOptions,
  range: Parameters<typeof readServiceRanges>[0],
): ServiceRanges {
  try {
    return readServiceRanges(range);
  } catch (error) {
    throw optionError("ERR_SERVER_SERVICE_RANGE", [{ option, problem: reasonOf(error) }], {
      cause: error,
    });
  }
}
