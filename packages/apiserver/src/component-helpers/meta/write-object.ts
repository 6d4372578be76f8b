// Writes objects that controllers compose: these may have a name prefix in the place of a name,
// owners and finalizers, which the manifests of `homeostat/k8s` do not have.
import type { Kind } from "homeostat/api";
import type { Client } from "homeostat/client";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import type { ApiObject } from "./api-object.ts";

/** Metadata to be created; `undefined` fields are left out. */
export type NewMetadata = { readonly [F in keyof ObjectMeta]?: ObjectMeta[F] | undefined };

/** An object to be created. */
export type NewObject<O extends ApiObject> = Omit<O, "metadata" | "status"> & {
  readonly metadata: NewMetadata;
};

/** An object to be created under a known name. */
export type NamedObject<O extends ApiObject> = NewObject<O> & {
  readonly metadata: { readonly name: string };
};

/** Replaces an object and resolves to it as the server stored it. */
export const updateObject = <O extends ApiObject>(
  client: Client,
  kind: Kind<O>,
  object: NewObject<O>,
): Promise<O> => client.update(kind, object);

/** Creates an object and resolves to it as the server stored it. */
export const createObject = <O extends ApiObject>(
  client: Client,
  kind: Kind<O>,
  object: NewObject<O>,
): Promise<O> => client.create(kind, object);
