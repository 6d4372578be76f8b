// Admission of connections (exec, attach, portforward, proxy): what is admitted are the options in
// the query.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/{rest,get}.go (ConnectResource,
// getRequestOptions), k8s.io/api/core/v1/types.go (PodExecOptions and its like).
import { formatApiVersion, type Json, type JsonObject } from "homeostat/api";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import type { Subresource } from "../../apimachinery/rest/subresource.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { admitMutating, type AdmittedWrite, admitValidating } from "../store/admit.ts";

type Reader = (scope: RequestScope, field: string) => Json | undefined;

const flag: Reader = ({ request }, field) => request.query.flag(field) || undefined;
const text: Reader = ({ request }, field) => request.query.text(field) || undefined;
const texts: Reader = ({ request }, field) => {
  const given = request.query.all(field);
  return given ? [...given] : null;
};
const numbers: Reader = ({ request }, field) => {
  const given = request.query.all(field);
  return given?.length ? given.flatMap((list) => list.split(",").map(Number)) : undefined;
};

const streams = { stdin: flag, stdout: flag, stderr: flag, tty: flag, container: text } as const;

/** The fields of each kind of options, in the order of upstream's encoder. */
const fieldsByKind: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  PodExecOptions: { ...streams, command: texts },
  PodAttachOptions: streams,
  PodPortForwardOptions: { ports: numbers },
  PodProxyOptions: { path: subpathOf },
  ServiceProxyOptions: { path: subpathOf },
  NodeProxyOptions: { path: subpathOf },
};

/** True for subresources that connect to something, rather than taking a body. */
export const isConnection = ({ kind }: Subresource): boolean =>
  Object.hasOwn(fieldsByKind, kind.kind);

/** Runs the admission steps. Throws 400 for dry runs. */
export async function admitConnection(scope: RequestScope, { kind }: Subresource): Promise<void> {
  if (scope.request.query.all("dryRun")?.length) throw badRequestError("dryRun is not supported");
  const read = Object.entries(fieldsByKind[kind.kind]!).flatMap(([field, reader]) => {
    const value = reader(scope, field);
    return value === undefined ? [] : [[field, value] as const];
  });
  const object: JsonObject = {
    kind: kind.kind,
    apiVersion: formatApiVersion(kind),
    ...Object.fromEntries(read),
  };
  const write: AdmittedWrite = {
    operation: "CONNECT",
    object,
    old: undefined,
    dryRun: false,
    options: null,
  };
  await admitMutating(scope, () => write);
  await admitValidating(scope, () => write);
}

/** What follows the subresource in the path, with its slashes. */
function subpathOf({ request }: RequestScope): string | undefined {
  const { parts, path } = request.info;
  const rest = parts.slice(3).join("/");
  const rooted = rest && !rest.startsWith("/") ? `/${rest}` : rest;
  return (path.endsWith("/") && !rooted.endsWith("/") ? `${rooted}/` : rooted) || undefined;
}
