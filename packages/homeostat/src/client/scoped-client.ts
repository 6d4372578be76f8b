// The verbs on kinds over one session. Requests are built in request/; session.ts handles retries
// and errors.
import { assertKind } from "../api/check-kind.ts";
import { isObject, type Json, type JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import type { ObjectKey } from "../api/object-meta.ts";
import { isNotFound } from "../api/status.ts";
import type { Transport } from "../api/transport.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { argumentError } from "../util/argument-error.ts";
import { checkArgument } from "../util/call-options.ts";
import { type Asked, checkListed, checkWritten, endlessList } from "./check-answer.ts";
import { addressOf, checkCall, checkRequest, checkScope } from "./check-requests.ts";
import type {
  ApiRequest,
  ApiResponse,
  Client,
  ClientScope,
  CompletedWrite,
  Key,
  ListPageOptions,
  RequestOptions,
  WriteOptions,
} from "./client.ts";
import { scanCompletedWrite, toCompletedWrite } from "./completed-write.ts";
import type { KindResolver } from "./discovery/kind-resolver.ts";
import { listPages } from "./list-pages.ts";
import { narrowScope, type Scope } from "./narrow-scope.ts";
import { readable, writable } from "./readable.ts";
import { toObjectList } from "./request/decode-list.ts";
import { callRequest } from "./request/call-request.ts";
import * as build from "./request/object-requests.ts";
import type { ServerPace } from "./server-pace.ts";
import { openStream, send } from "./session.ts";
import type { SessionOptions } from "./session-options.ts";
import { typedBody } from "./subresources/subresource-bodies.ts";
import { checkResumable, resumedEvents } from "./resumed-events.ts";
import { watchEvents } from "./watch-events.ts";
import { currentWork } from "./write-context.ts";

/** What a client and all clients derived from it share. */
export interface Shared {
  readonly session: SessionOptions;
  readonly kinds: KindResolver;
  readonly close: () => Promise<void>;
  readonly observers: Set<(write: CompletedWrite) => void>;
}

/** A client, or one derived from it. */
export class ScopedClient implements Client {
  readonly namespace: string;
  readonly kinds: KindResolver;
  readonly transport: Transport;
  readonly runtime: Runtime;
  readonly pace: ServerPace;
  readonly #shared: Shared;
  readonly #scope: Scope;

  constructor(shared: Shared, scope: Scope) {
    this.#shared = shared;
    this.#scope = scope;
    this.namespace = scope.namespace;
    this.kinds = shared.kinds;
    this.transport = shared.session.transport;
    this.runtime = shared.session.runtime;
    this.pace = shared.session.pace;
  }

  get: Client["get"] = async (kind, key, options = {}) => {
    checkCall("get", kind, options);
    const request = build.getRequest(kind, this.#key(kind, key), options);
    return readable(kind, await this.#json(request, options));
  };

  find: Client["find"] = async (kind, key, options) => {
    try {
      return await this.get(kind, key, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  list: Client["list"] = async (kind, options = {}) => {
    checkCall("list", kind, options);
    return listPages(
      (page) => this.listPage(kind, page),
      options,
      () => endlessList(this.#asked(build.listRequest(kind, options))),
    );
  };

  listPage: Client["listPage"] = async (kind, options: ListPageOptions = {}) => {
    checkCall("listPage", kind, options);
    const request = build.listRequest(kind, options);
    const answer = await this.#json(request, options);
    checkListed(this.#asked(request), kind, answer);
    return toObjectList(kind, answer);
  };

  create: Client["create"] = async (kind, manifest, options = {}) => {
    checkCall("create", kind, options);
    const body = this.#body(kind, manifest, options);
    const { name, namespace } = body["metadata"] as { name?: string; namespace?: string };
    const target = { name, namespace: this.#namespace(kind, namespace) };
    return this.#write(kind, { name: name ?? "", namespace }, options, (managed) =>
      build.createRequest(kind, target, body, managed),
    );
  };

  update: Client["update"] = async (kind, object, options = {}) => {
    checkCall("update", kind, options);
    const body = this.#body(kind, object, options);
    const key = this.#keyOf(kind, body);
    return this.#write(kind, key, options, (managed) =>
      build.updateRequest(kind, key, body, managed),
    );
  };

  patch: Client["patch"] = async (kind, name, patch, options = {}) => {
    checkCall("patch", kind, options);
    const key = this.#key(kind, name);
    return this.#write(kind, key, options, (managed) =>
      build.patchRequest(kind, key, patch, managed),
    );
  };

  apply: Client["apply"] = async (kind, manifest, options = {}) => {
    checkCall("apply", kind, options);
    const body = this.#body(kind, manifest, options);
    const key = this.#keyOf(kind, body);
    return this.#write(kind, key, options, (managed) =>
      build.applyRequest(kind, key, body, { fieldManager: "homeostat", ...managed }),
    );
  };

  applyUnread: Client["applyUnread"] = async (kind, manifest, options = {}) => {
    checkCall("applyUnread", kind, options);
    const scope = options.as ? narrowScope(this.#scope, options.as) : this.#scope;
    const body = this.#body(kind, manifest, options);
    const key = this.#keyOf(kind, body, scope);
    const request = build.applyRequest(kind, key, body, {
      fieldManager: "homeostat",
      ...managed(options, scope),
    });
    const response = await this.#request(request, options, scope);
    const scanned = scanCompletedWrite(kind, response.body);
    const answer = scanned ? undefined : response.json();
    if (answer !== undefined) checkWritten(this.#asked(request), kind, answer, options.subresource);
    if (options.dryRun ?? scope.dryRun) return undefined;
    return this.#wrote(scanned ?? parsedWrite(kind, key, response, answer), scope);
  };

  delete: Client["delete"] = async (kind, name, options = {}) => {
    checkCall("delete", kind, options);
    const key = this.#key(kind, name);
    const answer = await this.#json(build.deleteRequest(kind, key, options), options);
    if (!(options.dryRun ?? this.#scope.dryRun))
      this.#wrote(toCompletedWrite(kind, key, "delete", answer));
    return readable(kind, answer);
  };

  deleteCollection: Client["deleteCollection"] = async (kind, options = {}) => {
    checkCall("deleteCollection", kind, options);
    await this.#request(build.deleteCollectionRequest(kind, options), options);
  };

  watch: Client["watch"] = (kind, options = {}) => {
    checkCall("watch", kind, options);
    const scope = options.signal
      ? { ...this.#scope, signals: [...this.#scope.signals, options.signal] }
      : this.#scope;
    const { session } = this.#shared;
    if (options.resume) {
      checkResumable(kind, options);
      return resumedEvents(kind, options, {
        runtime: session.runtime,
        pace: session.pace,
        signals: scope.signals,
        open: (given, handlers) =>
          openStream(session, scope, build.watchRequest(kind, given), handlers),
      });
    }
    return watchEvents(kind, (handlers) =>
      openStream(session, scope, build.watchRequest(kind, options), handlers),
    );
  };

  request: Client["request"] = async (request, options) => {
    checkRequest("client.request(…)", request, options);
    return this.#request(request, options);
  };

  #request(request: ApiRequest, options: RequestOptions = {}, scope = this.#scope) {
    const { session } = this.#shared;
    const answered = send(session, scope, callRequest(request, options, scope.dryRun), options);
    session.observerCalls.callAll(scope.requested, answered);
    return answered;
  }

  openStream: Client["openStream"] = (request, handlers) => {
    checkRequest("client.openStream(…)", request);
    if (typeof handlers?.closed !== "function")
      throw argumentError("client.openStream(…)", handlers, "handlers of what comes");
    return openStream(this.#shared.session, this.#scope, request, handlers);
  };

  with: Client["with"] = (scope: ClientScope) => {
    checkScope(scope);
    return new ScopedClient(this.#shared, narrowScope(this.#scope, scope));
  };

  observeWrites: Client["observeWrites"] = (observer) => {
    checkArgument("client.observeWrites(…)", ["an argument", observer], "a function");
    this.#shared.observers.add(observer);
    return () => void this.#shared.observers.delete(observer);
  };

  close: Client["close"] = () => this.#shared.close();

  /** The response's JSON; the caller knows its type. */
  async #json(request: ApiRequest, options: RequestOptions): Promise<any> {
    return (await this.#request(request, options)).json();
  }

  async #write<O extends WriteOptions>(
    kind: Kind,
    key: ObjectKey,
    options: O,
    requestWith: (options: O) => ApiRequest,
  ): Promise<any> {
    const request = requestWith(managed(options, this.#scope));
    const response = await this.#request(request, options);
    const answer = response.json();
    checkWritten(this.#asked(request), kind, answer, options.subresource);
    if (!(options.dryRun ?? this.#scope.dryRun))
      this.#wrote(parsedWrite(kind, key, response, answer));
    return readable(kind, answer) as any;
  }

  #asked(request: ApiRequest): Asked {
    return { request, server: this.#shared.session.access?.server };
  }

  #wrote(write: CompletedWrite | undefined, scope = this.#scope): CompletedWrite | undefined {
    if (!write) return undefined;
    const { observerCalls } = this.#shared.session;
    observerCalls.callAll(this.#shared.observers, write);
    currentWork.getStore()?.wrote(write);
    observerCalls.callAll(scope.written, write);
    return write;
  }

  #key(kind: Kind, key: Key, scope = this.#scope): ObjectKey {
    const { name, namespace } = addressOf(kind, key);
    return { name, namespace: this.#namespace(kind, namespace, scope) };
  }

  #namespace(kind: Kind, namespace: string | undefined, scope = this.#scope) {
    assertKind(kind, "calling a client");
    return kind.scope === "Namespaced" ? namespace || scope.namespace : undefined;
  }

  #keyOf(kind: Kind, body: JsonObject, scope = this.#scope): ObjectKey {
    const { name, namespace } = body["metadata"] as { name?: string; namespace?: string };
    return this.#key(kind, { name: name ?? "", namespace }, scope);
  }

  /** The request body, with apiVersion and kind. */
  #body(kind: Kind, manifest: unknown, options: WriteOptions): JsonObject {
    assertKind(kind, "calling a client");
    if (!isObject(manifest as Json) || !isObject((manifest as JsonObject)["metadata"]))
      throw argumentError(`writing a ${kind.kind}`, manifest, "an object with metadata");
    const body = writable(manifest as JsonObject);
    return typedBody(kind, options.subresource, body);
  }
}

function managed<O extends WriteOptions>(options: O, { fieldManager }: Scope): O {
  return fieldManager && !options.fieldManager ? { ...options, fieldManager } : options;
}

function parsedWrite(
  kind: Kind,
  key: ObjectKey,
  response: ApiResponse,
  answer = response.json(),
): CompletedWrite | undefined {
  const write = toCompletedWrite(kind, key, "write", answer);
  return write?.object ? { ...write, bytes: response.body } : write;
}
