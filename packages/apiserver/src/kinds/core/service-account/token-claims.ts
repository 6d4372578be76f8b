// The claims of a service account's token: subject, audiences, validity, and the object to whose
// lifetime the token is bound.
// Upstream: k8s.io/kubernetes/pkg/serviceaccount/claims.go,
// pkg/registry/core/serviceaccount/storage/token.go.
import type { Decoded, JsonObject } from "homeostat/api";
import type { BoundObjectReference } from "homeostat/k8s/authentication/v1";
import type { Pod, ServiceAccount } from "homeostat/k8s/core/v1";
import {
  badRequestError,
  conflictError,
  notFoundError,
} from "../../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../../apimachinery/errors/field-error.ts";
import type { DecodedObject } from "../../../apimachinery/meta/read-meta.ts";
import type { ConnectTools } from "../../../apimachinery/rest/connecter.ts";

/** The id, the audiences and the validity of a token, in seconds since 1970. */
export interface TokenTerms {
  readonly id: string;
  readonly audiences: readonly string[];
  readonly from: number;
  readonly until: number;
}

type BoundClaims = Readonly<Record<string, JsonObject>>;

/**
 * The claims for an account, without the issuer. `bound` is the result of {@link findBoundObject}.
 */
export function tokenClaims(
  account: Decoded<ServiceAccount>,
  bound: BoundClaims,
  { id, audiences, from, until }: TokenTerms,
): JsonObject {
  const { namespace, name } = identityOf(account);
  return {
    aud: [...audiences],
    exp: until,
    iat: from,
    jti: id,
    "kubernetes.io": { namespace, ...bound, serviceaccount: referenceTo(account) },
    nbf: from,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

/** Finds the object to bind the token to. Throws upstream's errors for missing or wrong objects. */
export function findBoundObject(
  account: Decoded<ServiceAccount>,
  reference: Decoded<BoundObjectReference> | undefined,
  tools: Pick<ConnectTools, "find">,
): BoundClaims {
  if (!reference) return {};
  const bound = boundObject(reference, tools);
  const uid = reference.uid ?? "";
  if (bound.kind === "pod") assertPodsAccount(account, bound.object);
  if (uid && uid !== (bound.object.metadata?.uid ?? ""))
    throw conflictError(
      { group: "", resource: reference.kind ?? "" },
      reference.name ?? "",
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return {
    ...(bound.kind === "pod" ? nodeOf(bound.object, tools) : {}),
    [bound.kind]: referenceTo(bound.object),
  };
}

const bindable: ReadonlyMap<string, string> = new Map([
  ["Pod", "pods"],
  ["Node", "nodes"],
  ["Secret", "secrets"],
]);

function boundObject(
  reference: Decoded<BoundObjectReference>,
  tools: Pick<ConnectTools, "find">,
): { readonly kind: string; readonly object: DecodedObject } {
  const kind = reference.kind ?? "";
  const [first = "", second] = (reference.apiVersion ?? "").split("/");
  const [group, version] = second === undefined ? ["", first] : [first, second];
  const resource = group === "" ? bindable.get(kind) : undefined;
  if (resource === undefined)
    throw badRequestError(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const name = reference.name ?? "";
  const object = tools.find({ group: "", resource }, name);
  if (!object) throw notFoundError({ group: "", resource }, name);
  return { kind: kind.toLowerCase(), object };
}

function assertPodsAccount(account: Decoded<ServiceAccount>, pod: Decoded<Pod>): void {
  const { name } = identityOf(account);
  if ((pod.spec?.serviceAccountName ?? "") !== name)
    throw badRequestError(
      `cannot bind token for serviceaccount ${quoteGo(name)} to pod running with different serviceaccount name.`,
    );
}

/** The pod's node by name, and its uid if the node exists. */
function nodeOf(pod: Decoded<Pod>, tools: Pick<ConnectTools, "find">): BoundClaims {
  const name = pod.spec?.nodeName ?? "";
  if (!name) return {};
  const node = tools.find({ group: "", resource: "nodes" }, name);
  return { node: node ? referenceTo(node) : { name } };
}

function identityOf(object: DecodedObject): {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
} {
  const metadata = object.metadata ?? {};
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
  };
}

function referenceTo(object: DecodedObject): JsonObject {
  const { name, uid } = identityOf(object);
  return { name, uid };
}
