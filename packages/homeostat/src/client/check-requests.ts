// Refuses options and requests that are none, before they reach the server: a misspelt selector
// would select everything.
import { assertKind } from "../api/check-kind.ts";
import type { Kind } from "../api/kind.ts";
import type { ObjectKey } from "../api/object-meta.ts";
import {
  checkArgument,
  checkOptions,
  type Expected,
  type KnownOptions,
} from "../util/call-options.ts";
import { argumentError } from "../util/argument-error.ts";
import { describeValue } from "../util/describe-error.ts";
import { isOptions } from "../util/option-faults.ts";
import type {
  ApiRequest,
  ApplyOptions,
  ClientScope,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ListPageOptions,
  RequestOptions,
  Selection,
  WatchOptions,
  WriteOptions,
} from "./client.ts";

const ofRequest = {
  signal: "an AbortSignal",
  timeoutMs: "a number",
  totalTimeoutMs: "a number",
  serverTimeoutMs: "a number",
} as const satisfies KnownOptions<RequestOptions>;
const ofSelection = {
  namespace: "a string",
  labelSelector: "a string",
  fieldSelector: "a string",
} as const satisfies KnownOptions<Selection>;
const ofGet = {
  ...ofRequest,
  resourceVersion: "a string",
  subresource: "a string",
} as const satisfies KnownOptions<GetOptions>;
const ofWrite = {
  ...ofRequest,
  dryRun: "a string",
  fieldValidation: "a string",
  fieldManager: "a string",
  subresource: "a string",
} as const satisfies KnownOptions<WriteOptions>;
const ofApply = {
  ...ofWrite,
  force: "true or false",
} as const satisfies KnownOptions<ApplyOptions>;
const ofRevision = { resourceVersion: "a string", resourceVersionMatch: "a string" } as const;
const ofDelete = {
  ...ofRequest,
  preconditions: "an object",
  propagationPolicy: "a string",
  gracePeriodSeconds: "a number",
  dryRun: "a string",
} as const satisfies KnownOptions<DeleteOptions>;
const ofScope = {
  fieldManager: "a string",
  userAgent: "a string",
  signal: "an AbortSignal",
  namespace: "a string",
  dryRun: "a string",
  impersonate: "an object",
  written: "a function",
  requested: "a function",
  answered: "a function",
  warned: "a function",
  fence: "a function",
  urgent: "true or false",
} as const satisfies KnownOptions<ClientScope>;
const ofApiRequest = {
  method: "a string",
  path: "a string",
  query: "an object",
  headers: "an object",
  body: "any value",
} as const satisfies KnownOptions<ApiRequest>;

const known = {
  get: ofGet,
  find: ofGet,
  list: {
    ...ofRequest,
    ...ofSelection,
    ...ofRevision,
    pageSize: "a number",
  } satisfies KnownOptions<ListOptions>,
  listPage: {
    ...ofRequest,
    ...ofSelection,
    ...ofRevision,
    limit: "a number",
    continue: "a string",
  } satisfies KnownOptions<ListPageOptions>,
  create: ofWrite,
  update: ofWrite,
  patch: ofWrite,
  apply: ofApply,
  applyUnread: { ...ofApply, as: "an object" },
  delete: ofDelete,
  deleteCollection: { ...ofDelete, ...ofSelection },
  watch: {
    signal: "an AbortSignal",
    ...ofSelection,
    ...ofRevision,
    allowWatchBookmarks: "true or false",
    sendInitialEvents: "true or false",
    timeoutSeconds: "a number",
    resume: "true or false",
  } satisfies KnownOptions<WatchOptions>,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Expected>>>>;

/** @throws ERR_KIND_ARGUMENT, ERR_ARGUMENT */
export function checkCall(method: keyof typeof known, kind: Kind, options: unknown): void {
  assertKind(kind, "calling a client");
  if (options !== undefined)
    checkOptions(() => `client.${method}(${kind.kind}, …)`, options, known[method]);
}

/** The parts of a key; what is no name is refused where it becomes a path. @throws ERR_ARGUMENT */
export function addressOf(kind: Kind, key: unknown): ObjectKey {
  if (!isOptions(key)) return { name: key as string };
  const { name, namespace } = key as Partial<ObjectKey>;
  if (typeof namespace === "string" || namespace === undefined || namespace === null)
    return { name: name!, namespace };
  const call = `naming ${kind?.kind ?? "an object"} ${describeValue(name)}`;
  throw argumentError(call, namespace, "a namespace, which is a string");
}

/** @throws ERR_ARGUMENT */
export function checkScope(scope: unknown): void {
  if (!isOptions(scope)) throw argumentError("client.with(…)", scope, "an object with options");
  checkOptions("client.with(…)", scope, ofScope);
}

/** @param call e.g. `client.request(…)`. @throws ERR_ARGUMENT */
export function checkRequest(call: string, request: unknown, options?: unknown): void {
  checkArgument(call, ["its first argument", request], "an object");
  checkOptions(call, request, ofApiRequest);
  const { method, path } = request as Partial<ApiRequest>;
  checkArgument(call, ["method", method], "a string");
  checkArgument(call, ["path", path], "a string");
  if (!path?.startsWith("/")) throw argumentError(call, path, 'a path that begins with "/"');
  if (options !== undefined) checkOptions(call, options, ofRequest);
  const { query, headers } = request as ApiRequest;
  for (const [name, value] of Object.entries({ ...query, ...headers }))
    if (isOptions(value) || typeof value === "symbol")
      checkArgument(call, [`${name} of the query or the headers`, value], "a string");
}
