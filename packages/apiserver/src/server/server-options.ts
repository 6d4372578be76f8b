// What whoever starts a server may choose about its core, read from words: admission plug-ins by
// name, ranges of addresses and ports. Wrong words end the start.
import { readServiceRanges, type ServiceRanges } from "../kinds/core/service/service-ranges.ts";
import { reasonOf, ServerError } from "../apimachinery/errors/server-error.ts";
import { choiceFaults, missingPlugins, type PluginChoice } from "../admission/plugins.ts";
import type { ControlPlaneOptions } from "./control-plane.ts";

export interface CoreChoices {
  readonly admissionPlugins?: PluginChoice;
  readonly serviceClusterIpRange?: string;
  readonly serviceNodePortRange?: string;
  readonly clientCa?: string;
  readonly warn?: (message: string, error: unknown) => void;
}

/** The same as options of the core. Throws a {@link ServerError}. */
export function readCoreChoices(
  choices: CoreChoices,
): Pick<ControlPlaneOptions, "plugins" | "serviceRanges" | "clientCa"> {
  return {
    plugins: readPlugins(choices),
    serviceRanges: readRanges(choices),
    ...(choices.clientCa === undefined ? {} : { clientCa: choices.clientCa }),
  };
}

/** Accounts that pods could run as are made by a controller that is usually not there. */
function readPlugins({ admissionPlugins = {}, warn }: CoreChoices): PluginChoice {
  const faults = choiceFaults(admissionPlugins);
  if (faults.length) throw new ServerError("ERR_SERVER_ADMISSION_PLUGIN", faults.join(", "));
  const missing = missingPlugins(admissionPlugins);
  if (missing.length)
    warn?.(
      `admission plug-ins that this server does not have are without effect: ${missing.join(", ")}`,
      undefined,
    );
  const { enable = [], disable = [] } = admissionPlugins;
  return { enable, disable: [...disable, "ServiceAccount"] };
}

function readRanges({
  serviceClusterIpRange: addresses,
  serviceNodePortRange: ports,
}: CoreChoices): ServiceRanges {
  try {
    return readServiceRanges({
      ...(addresses === undefined ? {} : { addresses }),
      ...(ports === undefined ? {} : { ports }),
    });
  } catch (error) {
    throw new ServerError("ERR_SERVER_SERVICE_RANGE", `give services a range: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
