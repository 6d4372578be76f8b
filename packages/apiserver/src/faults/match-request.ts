// Whether a fault is for a request. Pure.
import type { RequestInfo } from "../registry/request/request-info.ts";
import type { FaultMatch } from "./fault.ts";

/** The part of a request that faults look at. */
export interface Faultable {
  readonly user: string;
  readonly userAgent: string;
  readonly connection: string;
  readonly info: Pick<
    RequestInfo,
    "verb" | "isResource" | "group" | "resource" | "subresource" | "namespace" | "name"
  >;
}

export function matchesRequest(match: FaultMatch | undefined, request: Faultable): boolean {
  if (!match) return true;
  const { user, userAgent, connection, verbs, resources, namespace, name } = match;
  const { info } = request;
  return (
    (user === undefined || user === request.user) &&
    (userAgent === undefined || request.userAgent.startsWith(userAgent)) &&
    (connection === undefined || connection === request.connection) &&
    (verbs === undefined || verbs.includes(info.verb)) &&
    (resources === undefined || resources.includes(resourceOf(info))) &&
    (namespace === undefined || namespace === info.namespace) &&
    (name === undefined || name === info.name)
  );
}

/** `deployments.apps/scale`; "" for a path that is no resource. */
function resourceOf({ isResource, group, resource, subresource }: Faultable["info"]): string {
  if (!isResource) return "";
  const full = group ? `${resource}.${group}` : resource;
  return subresource ? `${full}/${subresource}` : full;
}

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** True for a request that changes objects. */
export const isWrite = ({ info }: Faultable): boolean => info.isResource && writing.has(info.verb);
