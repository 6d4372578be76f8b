// The part of a routed request that strategies see.
import { uuid } from "homeostat/runtime";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { findStored } from "./find-stored.ts";
import type { RequestScope } from "./request-scope.ts";

/** The part of a request that strategies see. */
export function writeContextOf(scope: RequestScope, dryRun: boolean): WriteContext {
  const { request, subresource } = scope;
  return {
    user: request.user.name,
    caller: request.user,
    dryRun,
    subresource: subresource?.name ?? "",
    now: request.now,
    emptied: request.emptied,
    newUid: () => uuid(scope.core.runtime.entropy),
    warn: (text) => request.warnings.add(text),
    find: (kind, name) => findStored(scope, kind, name),
  };
}
