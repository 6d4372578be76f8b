// Health endpoints. They list every check of a kube-apiserver; in a server of one process no part
// fails alone, so each passes.
// Upstream: k8s.io/apiserver/pkg/server/healthz/healthz.go; names and order as a running 1.36.3
// lists them.
import { quoteGo } from "../apimachinery/errors/field-error.ts";

const hooks = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "storage-readiness",
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
].map((name) => `poststarthook/${name}`);
const common = [
  ...hooks,
  "autoregister-completion",
  "poststarthook/apiservice-openapi-controller",
  "poststarthook/apiservice-openapiv3-controller",
];
const live = ["ping", "log", "loopback-serving-certificate", "etcd", ...common];
const checks: ReadonlyMap<string, readonly string[]> = new Map([
  ["healthz", live],
  ["livez", live],
  ["readyz", ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...common, "shutdown"]],
]);

/**
 * The text for `/livez`, `/readyz/etcd` and so on; undefined for an unknown check. `query` has no
 * question mark.
 */
export function healthText(path: string, query: string): string | undefined {
  const [name = "", ...rest] = path.slice(1).split("/");
  const names = checks.get(name);
  if (!names) return undefined;
  if (rest.length) return names.includes(rest.join("/")) ? "ok" : undefined;
  const parameters = new URLSearchParams(query);
  if (!parameters.has("verbose")) return "ok";
  const excluded = new Set(parameters.getAll("exclude"));
  const lines = names.map((check) =>
    excluded.has(check) ? `[+]${check} excluded: ok\n` : `[+]${check} ok\n`,
  );
  const unknown = [...excluded].filter((check) => !names.includes(check)).toSorted();
  if (unknown.length)
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${unknown.map(quoteGo).join(",")}\n`,
    );
  return `${lines.join("")}${name} check passed\n`;
}

/** The checks of `healthz`, `livez` or `readyz`; undefined for any other name. */
export const healthChecks = (name: string): readonly string[] | undefined => checks.get(name);

/** Paths of all checks, for the index of paths. */
export function healthPaths(): readonly string[] {
  return [...checks].flatMap(([name, names]) => [
    `/${name}`,
    ...names.map((check) => `/${name}/${check}`),
  ]);
}
