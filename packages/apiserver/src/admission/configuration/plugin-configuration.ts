// The configuration of an admission plug-in, as it was read from a file. Pure.
import type { JsonObject } from "homeostat/api";
import type { WebhookKubeconfig } from "../../webhook-client/webhook-kubeconfig.ts";

/** What a file says of one plug-in. */
export interface PluginConfiguration {
  readonly value: JsonObject;
  /** The source of {@link value}; messages print it. */
  readonly text: string;
  /** The file that its `kubeConfigFile` names, or why it cannot be read. */
  readonly kubeconfig?: WebhookKubeconfig | Error;
}
