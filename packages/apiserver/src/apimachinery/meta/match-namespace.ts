// An object and its request must agree on namespace and name.
// Upstream: k8s.io/apiserver/pkg/registry/rest/meta.go
// (EnsureObjectNamespaceMatchesRequestNamespace), pkg/endpoints/handlers/rest.go (checkName).
import type { JsonObject } from "homeostat/api";
import { badRequestError } from "../errors/api-errors.ts";
import { metadataOf, metaString } from "./read-meta.ts";

/**
 * Gives the object the request's namespace ("" for cluster-scoped), or throws 400 when it names
 * another.
 */
export function matchNamespace(object: JsonObject, namespace: string): void {
  const given = metaString(object, "namespace");
  if (given === namespace) return;
  const metadata = metadataOf(object);
  if (namespace === "") delete metadata.namespace;
  else if (given === "") metadata.namespace = namespace;
  else
    throw badRequestError(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
}

/** Throws 400 when the object's name is not the one in the path. */
export function matchName(object: JsonObject, name: string): void {
  const given = metaString(object, "name");
  if (given === "")
    throw badRequestError(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (given !== name)
    throw badRequestError(
      `the name of the object (${given}) does not match the name on the URL (${name})`,
    );
}
