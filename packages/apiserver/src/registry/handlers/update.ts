// PUT: replaces an object.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/update.go.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { managerOrUserAgent } from "../../merge/managedfields/manager-name.ts";
import { resultResponse } from "../response/object-response.ts";
import { readObject } from "../body/read-object.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { matchName, matchNamespace } from "../../apimachinery/meta/match-namespace.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import { dedupeOwnerReferences } from "../../apimachinery/meta/owner-references.ts";
import { readWriteOptions } from "../options/write-options.ts";
import { emptyObject, strategyAt } from "../managed-fields/field-managers.ts";
import { updateObject } from "../store/update-object.ts";

/** Replaces the object, or its subresource. */
export async function replaceObject(scope: RequestScope): Promise<ApiResponse> {
  const { core, request, resource, subresource } = scope;
  const options = readWriteOptions("UpdateOptions", request.query);
  const endpoint = subresource?.endpoint.at === "store" ? subresource.endpoint : undefined;
  const read = async (): Promise<JsonObject> =>
    checked(
      scope,
      await readObject(
        scope,
        endpoint?.kind ?? resource,
        endpoint?.codec ?? resource.codec,
        options.fieldValidation,
      ),
    );
  let body: JsonObject | undefined = await read();
  const fieldManager = core.fieldManagers.of(resource, subresource?.name ?? "");
  const manager = managerOrUserAgent(options.fieldManager, request.api.headers["user-agent"] ?? "");
  const { status, result } = await updateObject(scope, {
    options,
    mayCreate: strategyAt(resource, subresource?.name ?? "").allowCreateOnUpdate,
    uid: metaString(body, "uid") || undefined,
    async transform(live) {
      // Strategies mutate what they are given: a second attempt reads the body again.
      const next = body ?? (await read());
      body = undefined;
      return fieldManager.update(live ?? emptyObject(resource), next, manager, request.now);
    },
  });
  return await resultResponse(scope, status, result);
}

function checked(scope: RequestScope, object: JsonObject): JsonObject {
  matchNamespace(object, scope.resource.namespaced ? scope.namespace : "");
  matchName(object, scope.name);
  dedupeOwnerReferences(object, "", (text) => scope.request.warnings.add(text));
  return object;
}
