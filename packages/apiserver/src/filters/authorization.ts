// Refuses requests that the authorizer does not allow.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/authorization.go.
import type { Authorizer } from "../apimachinery/authorizer.ts";
import { refusal } from "../apimachinery/refusal.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";

/** Throws 403 when the authorizer refuses. */
export function authorize({ user, info, audit }: ServerRequest, authorizer: Authorizer): void {
  const { allowed, reason } = authorizer({ user, info });
  if (audit) {
    audit.annotate("authorization.k8s.io/decision", allowed ? "allow" : "forbid");
    audit.annotate("authorization.k8s.io/reason", reason);
  }
  if (!allowed) throw refusal({ user, info }, reason);
}
