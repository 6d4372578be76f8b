// MutatingAdmissionWebhook and ValidatingAdmissionWebhook: they call the webhooks of stored
// configurations. What calls them loads with the first webhook.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/{mutating,validating}/plugin.go,
// generic/webhook.go (Dispatch).
import { loadLate } from "../../apimachinery/load-late.ts";
import { type CreatePlugin, type PluginServices } from "../admission-plugin.ts";
import type { PluginConfiguration } from "../configuration/plugin-configuration.ts";
import { isExemptConfiguration } from "../matching/rules.ts";
import { createWebhookSource } from "./webhook-source.ts";

export const createMutatingAdmissionWebhook: CreatePlugin = (given, configuration) => {
  const services = withCredentials(given, configuration);
  const source = createWebhookSource(services.objects, "mutatingwebhookconfigurations");
  return {
    mutate(request) {
      const webhooks = source.webhooks();
      if (!webhooks.length || isExemptConfiguration(request)) return undefined;
      const dispatcher = loadLate(
        import.meta.url,
        "./mutating-dispatcher",
      ) as typeof import("./mutating-dispatcher.ts");
      return dispatcher.dispatchMutating(webhooks, request, services);
    },
    close: () => source.close(),
  };
};

export const createValidatingAdmissionWebhook: CreatePlugin = (given, configuration) => {
  const services = withCredentials(given, configuration);
  const source = createWebhookSource(services.objects, "validatingwebhookconfigurations");
  return {
    validate(request) {
      const webhooks = source.webhooks();
      if (!webhooks.length || isExemptConfiguration(request)) return undefined;
      const dispatcher = loadLate(
        import.meta.url,
        "./validating-dispatcher",
      ) as typeof import("./validating-dispatcher.ts");
      return dispatcher.dispatchValidating(webhooks, request, services);
    },
    close: () => source.close(),
  };
};

/** Services whose client presents itself to webhooks as the kubeconfig of a configuration says. */
function withCredentials(
  services: PluginServices,
  configuration: PluginConfiguration | undefined,
): PluginServices {
  if (!configuration) return services;
  const { presentCredentials } = loadLate(
    import.meta.url,
    "./present-credentials",
  ) as typeof import("./present-credentials.ts");
  return { ...services, webhookClient: presentCredentials(services.webhookClient, configuration) };
}
