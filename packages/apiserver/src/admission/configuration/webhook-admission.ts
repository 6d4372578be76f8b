// The configuration of MutatingAdmissionWebhook and ValidatingAdmissionWebhook: a kubeconfig with
// credentials for webhooks. Pure.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/config/{kubeconfig.go,
// apis/webhookadmission}, pkg/admission/plugin/manifest/validation.go.
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { WebhookKubeconfig } from "../../webhook-client/webhook-kubeconfig.ts";
import { readMembers } from "../go-members.ts";
import { assertConfigurationKind, assertKnownFields } from "./decode-configuration.ts";
import type { PluginConfiguration } from "./plugin-configuration.ts";

const kind = {
  group: "apiserver.config.k8s.io",
  versions: ["v1"],
  kind: "WebhookAdmissionConfiguration",
} as const;

/** The kubeconfig, if the configuration names one. Throws an Error with upstream's message. */
export function parseWebhookAdmission(
  given: PluginConfiguration | undefined,
): WebhookKubeconfig | undefined {
  if (!given) return undefined;
  const { value, kubeconfig } = given;
  assertConfigurationKind(given, kind);
  const read = readMembers(value, "WebhookAdmission");
  const file = read.text("kubeConfigFile") ?? "";
  const folder = read.text("staticManifestsDir") ?? "";
  assertKnownFields(value, { kubeConfigFile: null, staticManifestsDir: null });
  if (file && !file.startsWith("/"))
    throw new Error(
      `kubeConfigFile: Invalid value: ${quoteGo(file)}: must be an absolute file path`,
    );
  if (folder)
    throw new Error(
      "staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled",
    );
  if (kubeconfig instanceof Error) throw kubeconfig;
  return kubeconfig;
}
