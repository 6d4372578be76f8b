// Publishes how other API servers recognize the requests that this server passes on, in the
// ConfigMap that they read.
// Upstream: k8s.io/kubernetes/pkg/controlplane/controller/clusterauthenticationtrust.
import { isObject } from "homeostat/api";
import type { LoopbackClient } from "./loopback-client.ts";

const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

/** The name in the front proxy's certificate. */
export const frontProxyUser = "front-proxy-client";

/** Adds the authority `ca` (PEM) of the front proxy and its headers, unless they are there. */
export async function publishFrontProxy(loopback: LoopbackClient, ca: string): Promise<void> {
  const { status, object } = await loopback("GET", path);
  if (status !== 200) throw new Error(`GET ${path}: expected 200, got ${status}`);
  const data = isObject(object["data"]) ? object["data"] : {};
  if (data["requestheader-client-ca-file"] === ca) return;
  const next = {
    ...data,
    "requestheader-allowed-names": JSON.stringify([frontProxyUser]),
    "requestheader-client-ca-file": ca,
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-uid-headers": '["X-Remote-Uid"]',
    "requestheader-username-headers": '["X-Remote-User"]',
  };
  const written = await loopback("PUT", path, { ...object, data: next });
  if (written.status >= 300) throw new Error(`PUT ${path}: expected 200, got ${written.status}`);
}
