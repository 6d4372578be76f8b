// Requests that may take as long as they need: watches, streams and proxies.
// Upstream: k8s.io/apiserver/pkg/server/filters/longrunning.go,
// k8s.io/kubernetes/pkg/controlplane/apiserver/config.go.
import type { RequestInfo } from "./request-info.ts";

const subresources = new Set(["attach", "exec", "proxy", "log", "portforward"]);

/** Whether no deadline holds for the request. */
export const isLongRunning = ({
  isResource,
  verb,
  subresource,
  path,
}: Pick<RequestInfo, "isResource" | "verb" | "subresource" | "path">): boolean =>
  isResource
    ? verb === "watch" || verb === "proxy" || subresources.has(subresource)
    : path.startsWith("/debug/pprof/");
