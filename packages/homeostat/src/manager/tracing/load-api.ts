// Loads OpenTelemetry's API, an optional peer.
import { describeError } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { OpenTelemetry } from "./open-telemetry.ts";

/**
 * Not by a literal name: it is optional, and bundlers must not look for it. @throws ERR_TRACING_API
 */
export async function loadApi(name = "@opentelemetry/api"): Promise<OpenTelemetry> {
  try {
    return (await import(name)) as OpenTelemetry;
  } catch (cause) {
    throw new HomeostatError(
      "ERR_TRACING_API",
      `tracing needs the package ${name}: ${describeError(cause)}`,
      { hint: `npm install ${name}, or leave \`tracing\` out`, cause },
    );
  }
}
