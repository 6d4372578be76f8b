// What the aggregator knows of one APIService with a service. Pure.
// Upstream: k8s.io/kube-aggregator/pkg/apiserver/handler_proxy.go (proxyHandlingInfo).
import type { Decoded } from "homeostat/api";
import type { APIService } from "homeostat/k8s/apiregistration/v1";

/** One group and version that another server serves. */
export interface RemoteApiService {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly caBundle: string | undefined;
  readonly insecureSkipTLSVerify: boolean;
  readonly available: boolean;
}

/** Undefined for an APIService of this server. */
export function toRemote(name: string, object: Decoded<APIService>): RemoteApiService | undefined {
  const { spec, status } = object;
  if (!spec?.service?.name) return undefined;
  const { namespace = "", name: service, port } = spec.service;
  return {
    name,
    group: spec.group ?? "",
    version: spec.version ?? "",
    groupPriority: Number(spec.groupPriorityMinimum ?? 0),
    versionPriority: Number(spec.versionPriority ?? 0),
    service: { namespace: namespace ?? "", name: service, port: Number(port ?? 443) },
    caBundle: spec.caBundle ?? undefined,
    insecureSkipTLSVerify: spec.insecureSkipTLSVerify === true,
    available: (status?.conditions ?? []).some(
      (condition) => condition.type === "Available" && condition.status === "True",
    ),
  };
}

/** Below it are OpenAPI documents, by the path that they describe. */
export const openApiRoot = "/openapi/v3";

/** The path below which an APIService is served. */
export const pathOf = ({ group, version }: { group: string; version: string }): string =>
  group ? `/apis/${group}/${version}` : `/api/${version}`;
