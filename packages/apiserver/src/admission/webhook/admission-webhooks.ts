// MutatingAdmissionWebhook and ValidatingAdmissionWebhook: they call the webhooks of stored
// configurations. What calls them loads with the first webhook.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/{mutating,validating}/plugin.go,
// generic/webhook.go (Dispatch).
import { loadLate } from "../../apimachinery/load-late.ts";
import type { CreatePlugin } from "../admission-plugin.ts";
import { isExemptConfiguration } from "../matching/rules.ts";
import { createWebhookSource } from "./webhook-source.ts";

export const createMutatingAdmissionWebhook: CreatePlugin = (services) => {
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

export const createValidatingAdmissionWebhook: CreatePlugin = (services) => {
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
