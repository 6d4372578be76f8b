// What subresources take and give when it is not the object itself. `status`, `approval`,
// `finalize`, `resize` and `ephemeralcontainers` take and give the object; so does a subresource
// that is not named here, as far as types go.
// Upstream: the StorageMap of each group's registry, k8s.io/kubernetes/pkg/registry/*/rest.
import type { JsonObject } from "../../api/json.ts";
import type { Kind, Metadata, ObjectOf } from "../../api/kind.ts";
import type { Status } from "../../api/status.ts";
import type { TokenRequest } from "../../k8s/authentication/v1/models.ts";
import type { Scale } from "../../k8s/autoscaling/v1/models.ts";
import type { Binding } from "../../k8s/core/v1/models.ts";
import type { Eviction } from "../../k8s/policy/v1/models.ts";

/** Metadata of a body that is sent to a subresource: it names the object. */
export interface SubresourceNaming {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A body as it is sent: the client fills in apiVersion and kind. */
type Sent<O extends Typed> = Omit<O, keyof Typed | "metadata"> &
  Partial<Pick<O, keyof Typed>> & { readonly metadata: SubresourceNaming };

/** A body as the server answers it: all its parts are set. */
type Answered<O extends Typed> = {
  readonly [P in keyof Omit<O, "metadata">]-?: NonNullable<O[P]>;
} & { readonly metadata: Metadata };

interface Bodies {
  /** `spec.replicas` is absent when it is 0. */
  readonly scale: { readonly sent: Sent<Scale>; readonly answer: Answered<Scale> };
  readonly eviction: { readonly sent: Sent<Eviction>; readonly answer: Status };
  readonly token: {
    readonly sent: Sent<TokenRequest>;
    readonly answer: Omit<TokenRequest, "status"> & {
      readonly status: { readonly token: string; readonly expirationTimestamp: string };
    };
  };
  readonly binding: { readonly sent: Sent<Binding>; readonly answer: Status };
}

/** What a read or write answers: of the object itself for S "". */
export type AnswerOf<K extends Kind, S extends string> = S extends keyof Bodies
  ? Bodies[S]["answer"]
  : ObjectOf<K>;

/** What a write sends: `M`, unless the subresource takes another kind. */
export type BodyOf<S extends string, M> = S extends keyof Bodies ? Bodies[S]["sent"] : M;

const others: Readonly<Record<keyof Bodies, Typed>> = {
  scale: { apiVersion: "autoscaling/v1", kind: "Scale" },
  eviction: { apiVersion: "policy/v1", kind: "Eviction" },
  token: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" },
  binding: { apiVersion: "v1", kind: "Binding" },
};

/** Subresources whose body is the object. */
const ofTheObject: readonly string[] = [
  "status",
  "approval",
  "finalize",
  "resize",
  "ephemeralcontainers",
];

/** The body with apiVersion and kind, if it is known which the subresource takes. */
export function typedBody(
  { apiVersion, kind }: Kind,
  subresource: string | undefined,
  body: JsonObject,
): JsonObject {
  if (body["apiVersion"] !== undefined && body["kind"] !== undefined) return body;
  if (!subresource || ofTheObject.includes(subresource)) return { apiVersion, kind, ...body };
  return Object.hasOwn(others, subresource)
    ? { ...others[subresource as keyof Bodies], ...body }
    : body;
}
