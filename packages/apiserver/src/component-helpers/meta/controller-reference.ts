// The owner reference of a controller to the objects that it creates or adopts.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go (NewControllerRef).
import { type Kind, type OwnerReference, toControllerReference } from "homeostat/api";
import type { ApiObject } from "./api-object.ts";

/** The reference to an owner from a cache or a list, whose objects may lack apiVersion and kind. */
export const newControllerRef = (
  owner: ApiObject,
  { apiVersion, kind }: Kind<ApiObject>,
): OwnerReference => toControllerReference({ ...owner, apiVersion, kind });
