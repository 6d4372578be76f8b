// What a service account's token says: whose it is, for whom, until when, and to which object's
// life it is bound.
// Upstream: k8s.io/kubernetes/pkg/serviceaccount/claims.go,
// pkg/registry/core/serviceaccount/storage/token.go.
import type { JsonObject } from "homeostat/api";
import {
  badRequestError,
  conflictError,
  notFoundError,
} from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { ConnectTools } from "../../apimachinery/rest/connecter.ts";
import { objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";

/** The times and the reader of a token; seconds since 1970. */
export interface TokenTerms {
  readonly id: string;
  readonly audiences: readonly string[];
  readonly from: number;
  readonly until: number;
}

type Bound = Readonly<Record<string, JsonObject>>;

/** The claims for an account, without the issuer. `bound` is what {@link findBound} found. */
export function tokenClaims(
  account: JsonObject,
  bound: Bound,
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

/**
 * Whom the request wants the token bound to. Throws as upstream for objects that are not there or
 * not meant.
 */
export function findBound(
  account: JsonObject,
  reference: JsonObject | undefined,
  tools: Pick<ConnectTools, "find">,
): Bound {
  if (!reference) return {};
  const bound = boundObject(reference, tools);
  const uid = stringAt(reference, "uid");
  if (bound.kind === "pod") assertPodsAccount(account, bound.object);
  if (uid && uid !== stringAt(objectAt(bound.object, "metadata"), "uid"))
    throw conflictError(
      { group: "", resource: stringAt(reference, "kind") },
      stringAt(reference, "name"),
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
  reference: JsonObject,
  tools: Pick<ConnectTools, "find">,
): { readonly kind: string; readonly object: JsonObject } {
  const kind = stringAt(reference, "kind");
  const [first = "", second] = stringAt(reference, "apiVersion").split("/");
  const [group, version] = second === undefined ? ["", first] : [first, second];
  const resource = group === "" ? bindable.get(kind) : undefined;
  if (resource === undefined)
    throw badRequestError(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const name = stringAt(reference, "name");
  const object = tools.find({ group: "", resource }, name);
  if (!object) throw notFoundError({ group: "", resource }, name);
  return { kind: kind.toLowerCase(), object };
}

function assertPodsAccount(account: JsonObject, pod: JsonObject): void {
  const { name } = identityOf(account);
  if (stringAt(objectAt(pod, "spec"), "serviceAccountName") !== name)
    throw badRequestError(
      `cannot bind token for serviceaccount ${quoteGo(name)} to pod running with different serviceaccount name.`,
    );
}

/** The pod's node by name, with its uid where it is known. */
function nodeOf(pod: JsonObject, tools: Pick<ConnectTools, "find">): Bound {
  const name = stringAt(objectAt(pod, "spec"), "nodeName");
  if (!name) return {};
  const node = tools.find({ group: "", resource: "nodes" }, name);
  return { node: node ? referenceTo(node) : { name } };
}

function identityOf(object: JsonObject): {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
} {
  const metadata = objectAt(object, "metadata");
  return {
    namespace: stringAt(metadata, "namespace"),
    name: stringAt(metadata, "name"),
    uid: stringAt(metadata, "uid"),
  };
}

function referenceTo(object: JsonObject): JsonObject {
  const { name, uid } = identityOf(object);
  return { name, uid };
}
