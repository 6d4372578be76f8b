// What an admission plug-in is: up to two steps, made once from what the server lends it. A plug-in
// decides about one request and the objects that it looks up; it writes nothing.
// Upstream: k8s.io/apiserver/pkg/admission/interfaces.go, errors.go (NewForbidden).
import type { ApiStatusError } from "homeostat/api";
import type { Runtime } from "homeostat/runtime";
import type { AdmissionRequest, AdmissionStep } from "../apimachinery/rest/admission.ts";
import { forbiddenError } from "../apimachinery/errors/api-errors.ts";
import { metaString } from "../apimachinery/meta/read-meta.ts";
import type { Authorizer } from "../authorization/authorizer.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";

/** What plug-ins may ask. */
export interface PluginServices {
  readonly objects: StoredObjects;
  readonly authorizer: Authorizer;
  readonly runtime: Runtime;
}

/** A plug-in at work. */
export interface AdmissionPlugin {
  /** Changes the object, or refuses. */
  readonly mutate?: AdmissionStep;
  /** Sees the object as it will be stored, and refuses. */
  readonly validate?: AdmissionStep;
}

export type CreatePlugin = (services: PluginServices) => AdmissionPlugin;

/** Whether a request is about this very resource, whatever its version. */
export function isAbout(
  { resource, subresource }: AdmissionRequest,
  group: string,
  name: string,
  view = "",
): boolean {
  return resource.resource === name && resource.group === group && subresource === view;
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
