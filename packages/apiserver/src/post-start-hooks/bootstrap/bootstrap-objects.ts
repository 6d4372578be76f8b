// The objects that kube-apiserver makes by itself at its start, as texts: those that are the same
// everywhere come recorded, the rest is filled in here. Pure.
// Upstream: k8s.io/kubernetes/pkg/controlplane/instance.go and
// controller/{defaultservicecidr,kubernetesservice,
// clusterauthenticationtrust,legacytokentracking,systemnamespaces}.
import { uuid, type Entropy } from "homeostat/runtime";
import type { ServiceRanges } from "../../kinds/core/service/service-ranges.ts";

/** What this server's own objects tell. */
export interface BootstrapFacts {
  readonly ranges: ServiceRanges;
  /** Where the server listens, for those who come through its service. */
  readonly port: number | undefined;
  /** PEM of the authority whose client certificates are believed. */
  readonly clientCa: string | undefined;
  /** RFC 3339, second precision. */
  readonly now: string;
}

/** As the recorded server had them. */
const recorded = {
  range: `"10.0.0.0/24"`,
  address: `"10.0.0.1"`,
  targetPort: `"targetPort":6443`,
} as const;
const networked = /^\{"kind":"(?:ServiceCIDR|IPAddress|Service)"/;

/** The recorded objects for this server, and the ones that are about its configuration. */
export function bootstrapTexts(lines: readonly string[], facts: BootstrapFacts): readonly string[] {
  const { range, first } = facts.ranges.addresses;
  const targetPort = facts.port === undefined ? recorded.targetPort : `"targetPort":${facts.port}`;
  const networkOf = (line: string): string =>
    line
      .replaceAll(recorded.range, `"${range}"`)
      .replaceAll(recorded.address, `"${first}"`)
      .replace(recorded.targetPort, targetPort);
  const own = lines.map((line) => (networked.test(line) ? networkOf(line) : line));
  return [
    ...own,
    configMap(
      "extension-apiserver-authentication",
      facts.clientCa === undefined ? {} : { "client-ca-file": facts.clientCa },
    ),
    configMap("kube-apiserver-legacy-service-account-token-tracking", {
      since: facts.now.slice(0, 10),
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

/** A text with its uid and times; the revision is left. */
export function stamp(text: string, now: string, entropy: Entropy): string {
  return text
    .replace('"uid":""', `"uid":"${uuid(entropy)}"`)
    .replaceAll(/"(creationTimestamp|time|lastTransitionTime)":""/g, `"$1":"${now}"`);
}
