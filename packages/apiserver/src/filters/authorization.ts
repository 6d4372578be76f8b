// Refuses requests that the authorizer does not allow.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/authorization.go.
import { type Authorizer, refusal } from "../authorization/authorizer.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";

/** Throws 403 when the authorizer refuses. */
export async function authorize(
  { user, info }: ServerRequest,
  authorizer: Authorizer,
): Promise<void> {
  const decision = await authorizer({ user, info });
  if (!decision.allowed) throw refusal({ user, info }, decision.reason);
}
