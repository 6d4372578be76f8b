// The contract of an admission plug-in: a mutating step, a validating step, or both. A plug-in sees
// one request and may look up stored objects; what it writes goes through the server's own client.
// Upstream: k8s.io/apiserver/pkg/admission/interfaces.go, errors.go (NewForbidden).
import type { ApiStatusError, JsonObject } from "homeostat/api";
import type { Runtime } from "homeostat/runtime";
import type { AdmissionRequest, AdmissionStep } from "../apimachinery/rest/admission.ts";
import { forbiddenError } from "../apimachinery/errors/api-errors.ts";
import { metaString } from "../apimachinery/meta/read-meta.ts";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { VersionCodec } from "../apimachinery/rest/version-codec.ts";
import type { Authorizer } from "../apimachinery/authorizer.ts";
import type { WebhookClient } from "../webhook-client/webhook-client.ts";
import type { PluginConfiguration } from "./configuration/plugin-configuration.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";

/** What plug-ins are created with. */
export interface PluginServices {
  readonly objects: StoredObjects;
  readonly catalog: ResourceCatalog;
  readonly authorizer: Authorizer;
  readonly runtime: Runtime;
  readonly webhookClient: WebhookClient;
  /** The codec of autoscaling/v1 Scale. */
  readonly scaleCodec?: VersionCodec | undefined;
  /** Sends a request as the server itself and waits for its answer. */
  loopback(
    method: string,
    path: string,
    body: JsonObject,
  ): Promise<{ readonly status: number; readonly object: JsonObject }>;
}

/** A created plug-in. */
export interface AdmissionPlugin {
  /** Changes the object in place, or throws to refuse the request. */
  readonly mutate?: AdmissionStep;
  /** Sees the object as it will be stored; throws to refuse the request. */
  readonly validate?: AdmissionStep;
  /** Stops what the plug-in follows. */
  close?(): void;
}

/** `given` is the configuration of this plug-in, checked by `configurationFaults`. */
export type CreatePlugin = (
  services: PluginServices,
  given?: PluginConfiguration,
) => AdmissionPlugin;

/** Whether a request is for this resource and subresource, in any version. */
export function isAbout(
  { resource, subresource }: AdmissionRequest,
  group: string,
  name: string,
  ofSubresource = "",
): boolean {
  return resource.resource === name && resource.group === group && subresource === ofSubresource;
}

/** The object and the stored one, where the request updates such an object. */
export function updateOf<T extends JsonObject>(
  request: AdmissionRequest,
  resource: string,
  subresource = "",
): { readonly object: T; readonly old: T } | undefined {
  const { object, old, operation } = request;
  if (!object || !old || operation !== "UPDATE" || !isAbout(request, "", resource, subresource))
    return undefined;
  return { object: object as T, old: old as T };
}

/** A plug-in's refusal: `pods "web" is forbidden: …`. */
export function refuse({ resource, object, name }: AdmissionRequest, why: string): ApiStatusError {
  return forbiddenError(
    resource,
    name ||
      (object ? metaString(object, "name") || metaString(object, "generateName") : "") ||
      "Unknown",
    why,
  );
}
