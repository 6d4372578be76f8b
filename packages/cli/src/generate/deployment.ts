// The Deployment of an operator. Its pods meet the Pod Security Standard "restricted".
import type { JsonObject } from "homeostat/api";
import type { OperatorModule } from "./load-operator.ts";
import { type GenerateSettings, labelsOf } from "./settings.ts";

/** Time to end after reconciles have drained. */
const endSeconds = 10;

/** Requests of kubebuilder's scaffold, with the memory that Node takes; no limit of CPU. */
const resources = { requests: { cpu: "10m", memory: "128Mi" }, limits: { memory: "512Mi" } };

/** One replica, never two at once. */
export function deploymentOf(
  { operator, options }: OperatorModule,
  { image, namespace }: GenerateSettings,
): JsonObject {
  const labels = labelsOf(operator);
  const drainSeconds = Math.ceil((options.shutdownTimeoutMs ?? 30_000) / 1000);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: operator, namespace, labels },
    spec: {
      replicas: 1,
      strategy: { type: "Recreate" },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: operator,
          terminationGracePeriodSeconds: drainSeconds + endSeconds,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [containerOf(image)],
        },
      },
    },
  };
}

function containerOf(image: string): JsonObject {
  return {
    name: "operator",
    image,
    resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}
