// A client of webhooks that presents itself as the kubeconfig of an admission configuration says.
// Upstream: k8s.io/apiserver/pkg/util/webhook/{authentication,client}.go.
import {
  type WebhookClient,
  type WebhookClientConfig,
  WebhookError,
} from "../../webhook-client/webhook-client.ts";
import {
  credentialsFor,
  type WebhookCredentials,
  type WebhookKubeconfig,
} from "../../webhook-client/webhook-kubeconfig.ts";
import type { PluginConfiguration } from "../configuration/plugin-configuration.ts";
import { parseWebhookAdmission } from "../configuration/webhook-admission.ts";

export function presentCredentials(
  client: WebhookClient,
  configuration: PluginConfiguration,
): WebhookClient {
  const kubeconfig = parseWebhookAdmission(configuration);
  if (!kubeconfig) return client;
  return {
    close: () => client.close(),
    post: async (call) => await client.post({ ...call, access: accessTo(kubeconfig, call.config) }),
  };
}

function accessTo(
  kubeconfig: WebhookKubeconfig,
  config: WebhookClientConfig,
): WebhookCredentials | undefined {
  try {
    return credentialsFor(kubeconfig, hostPortOf(config));
  } catch (error) {
    throw new WebhookError(error instanceof Error ? error.message : "", undefined, "client");
  }
}

function hostPortOf({ service, url }: WebhookClientConfig): string {
  if (service) return `${service.name}.${service.namespace}.svc:${service.port ?? 443}`;
  const { hostname, port } = new URL(url ?? "https://");
  return `${hostname}:${port || 443}`;
}
