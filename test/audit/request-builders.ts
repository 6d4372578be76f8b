// Requests and objects in short, for the requests of the audit tests.
import type { JsonObject } from "homeostat/api";

/** One request. */
export interface AuditRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: JsonObject | string;
  /** Default: the administrator's; `account`: of the service account `robot`; "" for none. */
  readonly token?: string;
  /** Waits after it: upstream takes notice of policies and definitions a moment later. */
  readonly pauseMs?: number;
}

export const shop = "/api/v1/namespaces/shop";
export const maps = `${shop}/configmaps`;
export const widgets = "/apis/example.com/v1/namespaces/shop/widgets";
export const rbac = "/apis/rbac.authorization.k8s.io/v1";
export const registration = "/apis/admissionregistration.k8s.io/v1";

export const get = (name: string, path: string, headers = {}): AuditRequest => ({
  name,
  method: "GET",
  path,
  headers,
});
export const post = (name: string, path: string, body: JsonObject | string, headers = {}) => ({
  name,
  method: "POST",
  path,
  headers,
  body,
});
export const put = (name: string, path: string, body: JsonObject): AuditRequest => ({
  name,
  method: "PUT",
  path,
  body,
});
export const patch = (name: string, path: string, type: string, body: JsonObject | string) => ({
  name,
  method: "PATCH",
  path,
  headers: { "content-type": `application/${type}` },
  body,
});
export const remove = (name: string, path: string, body?: JsonObject): AuditRequest => ({
  name,
  method: "DELETE",
  path,
  ...(body ? { body } : {}),
});
export const as = (user: string, ...groups: readonly string[]) => ({
  "impersonate-user": user,
  ...(groups.length ? { "impersonate-group": groups } : {}),
});
export const form = (kind: string): { readonly accept: string } => ({
  accept: `application/json;as=${kind};v=v1;g=meta.k8s.io`,
});
export const protobuf = { accept: "application/vnd.kubernetes.protobuf" };

export const map = (
  name: string,
  data: JsonObject = { a: "1" },
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});
export const widget = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec,
});
export const pod = (name: string, container: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i", ...container }] },
});
export const namespace = (name: string, labels: JsonObject = {}) =>
  post(`namespace-${name}`, "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels },
  });
