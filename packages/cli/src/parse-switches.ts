// Parses kube-apiserver's lists of names with true or false, such as `--feature-gates`.
// Upstream: k8s.io/component-base/cli/flag/{map_string_bool,configuration_map}.go.
import { usageError } from "./command-error.ts";

/** `A=true,B=false`. A key of `--runtime-config` without a value is true. Throws a usage error. */
export function parseSwitches(
  flag: "--feature-gates" | "--runtime-config",
  given: string | boolean | undefined,
): Readonly<Record<string, boolean>> {
  const entries = String(given ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map((entry) => [entry, /^([^=]+)(?:=(true|false))?$/.exec(entry)] as const);
  const needsValue = flag === "--feature-gates";
  const wrong = entries.find(([, match]) => !match || (needsValue && match[2] === undefined));
  if (wrong)
    throw usageError(
      `${flag}: expected name=true or name=false, separated by commas, got ${JSON.stringify(wrong[0])}`,
    );
  return Object.fromEntries(entries.map(([, match]) => [match![1]!, match![2] !== "false"]));
}
