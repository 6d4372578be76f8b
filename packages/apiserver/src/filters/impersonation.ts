// Impersonate-* headers: the request continues as another user if the caller may impersonate it.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation.
import { badRequestError } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { nonResource, type RequestInfo } from "../registry/request/request-info.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";
import { type Authorizer, refusal } from "../authorization/authorizer.ts";

const extraPrefix = "impersonate-extra-";

/** Replaces the request's user by the impersonated one. Throws 400 and 403. */
export async function impersonate(request: ServerRequest, authorizer: Authorizer): Promise<void> {
  const wanted = readHeaders(request.api.headers);
  if (!wanted) return;
  if (!wanted.name)
    throw badRequestError(`requested ${formatGo(wanted)} without impersonating a user name`);
  for (const info of impersonations(wanted)) {
    const decision = await authorizer({ user: request.user, info });
    if (!decision.allowed) throw refusal({ user: request.user, info }, decision.reason);
  }
  request.user = { ...wanted, groups: withStandardGroups(wanted) };
}

function readHeaders(headers: Readonly<Record<string, string>>): UserInfo | undefined {
  const name = headers["impersonate-user"] ?? "";
  const uid = headers["impersonate-uid"] ?? "";
  const groups = values(headers["impersonate-group"]);
  const extra: Record<string, readonly string[]> = {};
  for (const [header, value] of Object.entries(headers))
    if (header.startsWith(extraPrefix))
      extra[unescape(header.slice(extraPrefix.length))] = values(value);
  if (!name && !uid && !groups.length && !Object.keys(extra).length) return undefined;
  return { name, groups, ...(uid ? { uid } : {}), ...(Object.keys(extra).length ? { extra } : {}) };
}

const values = (header: string | undefined): readonly string[] =>
  header ? header.split("\n") : [];

function unescape(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** What the authorizer must allow: one `impersonate` for each user, group, uid and extra value. */
function impersonations({ name, uid, groups, extra }: UserInfo): readonly RequestInfo[] {
  const account = serviceAccount(name);
  const subject = account
    ? impersonated({
        resource: "serviceaccounts",
        name: account.name,
        namespace: account.namespace,
      })
    : impersonated({ resource: "users", name });
  const extras = Object.entries(extra ?? {}).flatMap(([key, texts]) =>
    texts.map((text) =>
      impersonated({
        group: "authentication.k8s.io",
        version: "v1",
        resource: "userextras",
        subresource: key,
        name: text,
      }),
    ),
  );
  return [
    subject,
    ...groups.map((group) => impersonated({ resource: "groups", name: group })),
    ...extras,
    ...(uid
      ? [
          impersonated({
            group: "authentication.k8s.io",
            version: "v1",
            resource: "uids",
            name: uid,
          }),
        ]
      : []),
  ];
}

function impersonated(fields: Partial<RequestInfo>): RequestInfo {
  return { ...nonResource, isResource: true, verb: "impersonate", named: true, ...fields };
}

function serviceAccount(
  name: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const parts = name.split(":");
  return parts.length === 4 && parts[0] === "system" && parts[1] === "serviceaccount"
    ? { namespace: parts[2]!, name: parts[3]! }
    : undefined;
}

/**
 * The groups of the impersonated user: those named, or those of every service account; and
 * `system:authenticated`, or `system:unauthenticated` for anonymous.
 */
function withStandardGroups({ name, groups }: UserInfo): readonly string[] {
  const account = serviceAccount(name);
  const given =
    groups.length || !account
      ? groups
      : ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
  if (name === "system:anonymous")
    return given.includes("system:unauthenticated") ? given : [...given, "system:unauthenticated"];
  return given.includes("system:authenticated") || given.includes("system:unauthenticated")
    ? given
    : [...given, "system:authenticated"];
}

/** Go's %#v of the requested user. */
function formatGo({ name, uid = "", groups, extra }: UserInfo): string {
  const list = (texts: readonly string[]): string =>
    texts.length ? `[]string{${texts.map(quoteGo).join(", ")}}` : "[]string(nil)";
  const entries = Object.entries(extra ?? {}).map(
    ([key, texts]) => `${quoteGo(key)}:[]string{${texts.map(quoteGo).join(", ")}}`,
  );
  const map = entries.length ? `{${entries.join(", ")}}` : "(nil)";
  return `&user.DefaultInfo{Name:${quoteGo(name)}, UID:${quoteGo(uid)}, Groups:${list(groups)}, Extra:map[string][]string${map}}`;
}
