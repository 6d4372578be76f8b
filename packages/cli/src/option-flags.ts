// Translates errors about options of the API server into wrong usage of the flags that set them.
import { type OptionFault, ServerError } from "@homeostat/apiserver";
import { auditFlags } from "./parse-audit-flags.ts";
import { usageError } from "./command-error.ts";

/** Flags by option, where the flag is not the option's name with dashes. */
export type OptionFlags = Readonly<Record<string, string>>;

const ownFlags: OptionFlags = {
  ...auditFlags,
  authorizationModes: "--authorization-mode",
  "admissionPlugins.enable": "--enable-admission-plugins",
  "admissionPlugins.disable": "--disable-admission-plugins",
};

/** Runs `run`. An error about options becomes a usage error that begins with the flag. */
export async function withFlagErrors<T>(
  run: () => Promise<T>,
  flags: OptionFlags = {},
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ServerError) || error.faults.length === 0) throw error;
    throw usageError(error.faults.map((fault) => describe(fault, flags)).join("; "));
  }
}

const describe = ({ option, problem }: OptionFault, flags: OptionFlags): string =>
  `${{ ...ownFlags, ...flags }[option] ?? toFlag(option)}: ${problem}`;

/** E.g. `serviceClusterIpRange` becomes `--service-cluster-ip-range`. */
const toFlag = (option: string): string =>
  `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
