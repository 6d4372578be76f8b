// Why the configuration of a plug-in cannot be used, by the name of the plug-in. As upstream,
// configurations of other plug-ins are not read.
// Upstream: k8s.io/apiserver/pkg/admission/plugins.go (InitPlugin).
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { parsePodSecurityConfiguration } from "../pod-security/parse-configuration.ts";
import { InitializationError } from "./decode-configuration.ts";
import { parseEventRateLimit } from "./event-rate-limit.ts";
import { parseImagePolicy } from "./image-policy.ts";
import { parsePodNodeSelector } from "./pod-node-selector.ts";
import { parsePodTolerationRestriction } from "./pod-toleration-restriction.ts";
import type { PluginConfiguration } from "./plugin-configuration.ts";
import { parseQuotaConfiguration } from "./resource-quota.ts";
import { parseWebhookAdmission } from "./webhook-admission.ts";

type Parse = (given: PluginConfiguration | undefined) => unknown;

const parsers: Readonly<Record<string, Parse>> = {
  EventRateLimit: parseEventRateLimit,
  ImagePolicyWebhook: parseImagePolicy,
  MutatingAdmissionWebhook: parseWebhookAdmission,
  PodNodeSelector: parsePodNodeSelector,
  PodSecurity: parsePodSecurityConfiguration,
  PodTolerationRestriction: parsePodTolerationRestriction,
  ResourceQuota: parseQuotaConfiguration,
  ValidatingAdmissionWebhook: parseWebhookAdmission,
};

/** undefined if the plug-in can be created. */
export function configurationFault(
  plugin: string,
  given: PluginConfiguration | undefined,
): string | undefined {
  try {
    parsers[plugin]?.(given);
    return undefined;
  } catch (error) {
    const why = reasonOf(error);
    const what = error instanceof InitializationError ? "failed to initialize" : "couldn't init";
    return `${what} admission plugin ${quoteGo(plugin)}: ${why}`;
  }
}
