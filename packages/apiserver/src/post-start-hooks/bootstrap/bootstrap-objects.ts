// The objects that kube-apiserver creates when it starts, as JSON texts: recorded ones, with this
// server's addresses, and those about its configuration. Pure.
// Upstream: k8s.io/kubernetes/pkg/controlplane/instance.go and
// controller/{defaultservicecidr,kubernetesservice,
// clusterauthenticationtrust,legacytokentracking,systemnamespaces}.
import type { ServiceRanges } from "../../kinds/core/service/service-ranges.ts";

/** The configuration that bootstrap objects show. */
export interface BootstrapConfig {
  readonly ranges: ServiceRanges;
  /** The target port of the service `kubernetes`; undefined when the server does not listen. */
  readonly port: number | undefined;
  /** PEM of the authority of client certificates. */
  readonly clientCa: string | undefined;
  /** RFC 3339, second precision. */
  readonly now: string;
  /** The groups that are served. */
  readonly groups: readonly { readonly group: string }[];
}

/** The values of the recorded server. */
const recorded = {
  range: `"10.0.0.0/24"`,
  address: `"10.0.0.1"`,
  targetPort: `"targetPort":6443`,
} as const;
/** A group behind a feature gate; a server without it has no objects about it. */
const gated = "storagemigration.k8s.io";
const aboutGated =
  /storagemigration\.k8s\.io|"system:controller:storage-version-migrator-controller"/;
const networked = /^\{"kind":"(?:ServiceCIDR|IPAddress|Service)"/;

/** The bootstrap objects of a server with this configuration. */
export function bootstrapTexts(
  lines: readonly string[],
  config: BootstrapConfig,
): readonly string[] {
  const { range, first } = config.ranges.addresses;
  const targetPort =
    config.port === undefined ? recorded.targetPort : `"targetPort":${config.port}`;
  const networkOf = (line: string): string =>
    line
      .replaceAll(recorded.range, `"${range}"`)
      .replaceAll(recorded.address, `"${first}"`)
      .replace(recorded.targetPort, targetPort);
  const servesGated = config.groups.some(({ group }) => group === gated);
  const own = lines
    .filter((line) => servesGated || !aboutGated.test(line))
    .map((line) => (networked.test(line) ? networkOf(line) : line));
  return [
    ...own,
    configMap(
      "extension-apiserver-authentication",
      config.clientCa === undefined ? {} : { "client-ca-file": config.clientCa },
    ),
    configMap("kube-apiserver-legacy-service-account-token-tracking", {
      since: config.now.slice(0, 10),
    }),
  ];
}

function configMap(name: string, data: Readonly<Record<string, string>>): string {
  const fields = Object.fromEntries(Object.keys(data).map((key) => [`f:${key}`, {}]));
  const entry = {
    manager: "kube-apiserver",
    operation: "Update",
    apiVersion: "v1",
    time: "",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { ".": {}, ...fields } },
  };
  const hasData = Object.keys(data).length > 0;
  const metadata = {
    name,
    namespace: "kube-system",
    uid: "",
    resourceVersion: "",
    creationTimestamp: "",
    ...(hasData ? { managedFields: [entry] } : {}),
  };
  return JSON.stringify({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata,
    ...(hasData ? { data } : {}),
  });
}

/** The text with a uid and times; the store adds the revision. */
export function stamp(text: string, now: string, uid: string): string {
  return text
    .replace('"uid":""', `"uid":"${uid}"`)
    .replaceAll(/"(creationTimestamp|time|lastTransitionTime)":""/g, `"$1":"${now}"`);
}
