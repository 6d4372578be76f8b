// States of tracing of an operator under test.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TracingOptions } from "homeostat";

/** `api` has no SDK behind it; `sampled` records everything, `tenth` one trace of ten. */
export const tracingStates = ["off", "api", "sampled", "tenth"] as const;
export type TracingState = (typeof tracingStates)[number];

const folder = new URL("open-telemetry/", import.meta.url);

/** Why OpenTelemetry cannot run here; undefined when it can. */
export const absentOpenTelemetry = (): string | undefined =>
  existsSync(fileURLToPath(new URL("node_modules/@opentelemetry/sdk-trace-base", folder)))
    ? undefined
    : "not installed; npm install --ignore-scripts --no-package-lock --workspaces=false in bench/peers/open-telemetry";

/** The option of a manager; undefined for `off`. */
export async function loadTracing(state: TracingState): Promise<TracingOptions | undefined> {
  if (state === "off") return undefined;
  const { tracingOf } = (await import(new URL("tracing.mjs", folder).href)) as {
    tracingOf(state: TracingState): TracingOptions;
  };
  return tracingOf(state);
}
