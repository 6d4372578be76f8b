// The Deployment of an operator, and what readers of its metrics need. Its pods meet the Pod
// Security Standard "restricted".
import type { JsonObject } from "homeostat/api";
import type { OperatorModule } from "./load-operator.ts";
import { type GenerateSettings, labelsOf } from "./settings.ts";

/** Time to end after reconciles have drained. */
const endSeconds = 10;

/** Requests of kubebuilder's scaffold, with the memory that Node takes; no limit of CPU. */
const resources = { requests: { cpu: "10m", memory: "128Mi" }, limits: { memory: "512Mi" } };

/**
 * kubebuilder's periods; an event loop that computes for so long, three times, ends the container.
 */
const probes = {
  livenessProbe: {
    httpGet: { path: "/healthz", port: "health" },
    initialDelaySeconds: 15,
    periodSeconds: 20,
    timeoutSeconds: 5,
  },
  readinessProbe: { httpGet: { path: "/readyz", port: "health" }, periodSeconds: 5 },
};

/** Undefined without a port that is known here. */
function healthPortOf({ health }: OperatorModule["options"]): number | undefined {
  return health === undefined ? undefined : health.port || (health.port === 0 ? undefined : 8081);
}

/** Undefined without a port that is known here. */
function metricsPortOf({
  metrics,
}: OperatorModule["options"]): { readonly port: number; readonly scheme: string } | undefined {
  if (!metrics || metrics.port === false || metrics.port === 0) return undefined;
  const isSecure = metrics.tls !== undefined || metrics.authorization !== undefined;
  return { port: metrics.port ?? (isSecure ? 8443 : 8080), scheme: isSecure ? "https" : "http" };
}

/**
 * The Service by which Prometheus finds the metrics, and where readers are reviewed, the role to
 * bind them to; none without metrics.
 */
export function metricsPartsOf(
  { operator, options }: OperatorModule,
  { namespace }: GenerateSettings,
): readonly JsonObject[] {
  const metrics = metricsPortOf(options);
  if (!metrics) return [];
  const { port, scheme } = metrics;
  const labels = labelsOf(operator);
  return [
    ...(options.metrics?.authorization === undefined ? [] : [metricsReaderOf(operator)]),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: `${operator}-metrics`, namespace, labels },
      spec: { selector: labels, ports: [{ name: scheme, port, targetPort: "metrics" }] },
    },
  ];
}

/** Bound by hand: only the cluster knows who its readers are. */
const metricsReaderOf = (operator: string): JsonObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: `${operator}-metrics-reader`, labels: labelsOf(operator) },
  rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
});

/** One replica, never two at once; two, one after the other, where they elect or share. */
export function deploymentOf(
  { operator, options }: OperatorModule,
  { image, namespace, hookPorts }: GenerateSettings & { readonly hookPorts: readonly JsonObject[] },
): JsonObject {
  const labels = labelsOf(operator);
  const { shutdownTimeoutMs = 30_000, webhooks, election, sharding } = options;
  const hasReplicas = (election ?? sharding) !== undefined;
  const drainSeconds = Math.ceil((shutdownTimeoutMs + (webhooks?.drainMs ?? 0)) / 1000);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: operator, namespace, labels },
    spec: {
      replicas: hasReplicas ? 2 : 1,
      ...(hasReplicas ? {} : { strategy: { type: "Recreate" } }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: operator,
          terminationGracePeriodSeconds: drainSeconds + endSeconds,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [containerOf(image, options, hookPorts)],
        },
      },
    },
  };
}

function containerOf(
  image: string,
  options: OperatorModule["options"],
  hookPorts: readonly JsonObject[],
): JsonObject {
  const health = healthPortOf(options);
  const metrics = metricsPortOf(options);
  const ports = [
    ...(health ? [{ name: "health", containerPort: health }] : []),
    ...(metrics ? [{ name: "metrics", containerPort: metrics.port }] : []),
    ...hookPorts,
  ];
  return {
    name: "operator",
    image,
    ...(ports.length > 0 ? { ports } : {}),
    ...(health ? probes : {}),
    resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}
