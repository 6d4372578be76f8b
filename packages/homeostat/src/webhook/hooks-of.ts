// The paths of the server.
import { admissionHook } from "./admission/admission-hook.ts";
import { conversionHook } from "./conversion/answer-conversion.ts";
import type { Hook } from "./exchange.ts";
import type { WebhooksOptions } from "./webhooks-options.ts";

/** One path for each admission webhook, and one for all conversions. */
export function hooksOf(serve: WebhooksOptions["serve"]): readonly Hook[] {
  const admission = serve.filter((one) => one.type !== "conversion").map(admissionHook);
  const conversions = serve.filter((one) => one.type === "conversion");
  return conversions.length === 0 ? admission : [...admission, conversionHook(conversions)];
}
