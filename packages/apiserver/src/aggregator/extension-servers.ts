// The servers behind APIServices: passes requests on to them, and asks them what they serve. Loaded
// with the first APIService that has a service.
// Upstream: k8s.io/kube-aggregator/pkg/apiserver/{handler_proxy,handler_discovery}.go.
import { isObject, type JsonObject } from "homeostat/api";
import type { Clock } from "homeostat/runtime";
import { reasonOf } from "../apimachinery/errors/server-error.ts";
import { type ApiRequest, type ApiResponse, discard, readBody } from "../apimachinery/handler.ts";
import { inTime } from "../apimachinery/in-time.ts";
import { textResponse } from "../apimachinery/text-response.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import type { ServiceResolver } from "../webhook-client/webhook-client.ts";
import { createForwardDriver } from "./forward-request.ts";
import type { ForwardedRequest, Forwarder, ForwarderOptions } from "./forwarder.ts";
import { openApiRoot, pathOf, type RemoteApiService } from "./remote-api-service.ts";
import { userHeaders } from "./user-headers.ts";
import { toVersionDiscovery, versionIn } from "./version-discovery.ts";

export interface ExtensionServersOptions extends ForwarderOptions {
  readonly resolve: ServiceResolver;
}

/** What a server says about a version. */
export interface Discovered {
  /** A version of aggregated discovery. */
  readonly version: JsonObject;
  /** The path of its OpenAPI document on its server. */
  readonly openApi: string | undefined;
  /** The server's OpenAPI v2 document, of all that it serves. */
  readonly openApiTwo: JsonObject | undefined;
}

const checkTimeoutMs = 5000;
const checkAttempts = 5;
const aggregator: UserInfo = { name: "system:kube-aggregator", groups: ["system:masters"] };
const acceptAggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** The extension servers of one server. */
export class ExtensionServers {
  readonly #clock: Clock;
  readonly #resolve: ServiceResolver;
  readonly #forwarder: Forwarder;

  constructor(options: ExtensionServersOptions) {
    this.#clock = options.clock;
    this.#resolve = options.resolve;
    this.#forwarder = createForwardDriver(options);
  }

  /** The server's response, or 503. */
  async handle(remote: RemoteApiService, { api, user }: ServerRequest): Promise<ApiResponse> {
    if (!remote.available) return httpError("service unavailable");
    const headers = { ...passedOn(api), ...forwarded(api), ...userHeaders(user) };
    const { method, path, body, closed } = api;
    try {
      const upgrade = isUpgrade(api);
      return await this.#send(remote, { method, path, headers, body, upgrade, closed }, user);
    } catch (error) {
      if (error instanceof UnresolvedError) return httpError("service unavailable");
      return httpError(`error trying to reach service: ${reasonOf(error)}`);
    }
  }

  /**
   * Why the server does not serve the version; `url` is what upstream's message names. Of several
   * requests at once one has to succeed, since each may reach another endpoint.
   */
  async check(remote: RemoteApiService, url: string): Promise<string | undefined> {
    let fault: string | undefined;
    const attempts = Array.from({ length: checkAttempts }, async () => {
      fault = await this.#attempt(remote, url);
      if (fault !== undefined) throw new Error(fault);
    });
    return await Promise.any(attempts).then(
      () => undefined,
      () => fault,
    );
  }

  async #attempt(remote: RemoteApiService, url: string): Promise<string | undefined> {
    try {
      const response = await this.#ask(remote, pathOf(remote), "application/json");
      discard(response);
      const { status } = response;
      return status < 200 || status >= 300
        ? `failing or missing response from ${url}: bad status from ${url}: ${status}`
        : undefined;
    } catch (error) {
      if (error instanceof UnresolvedError) return error.message;
      return `failing or missing response from ${url}: Get ${JSON.stringify(url)}: ${reasonOf(error)}`;
    }
  }

  /** Asks for aggregated discovery, and of a server without for its resources. */
  async discover(remote: RemoteApiService): Promise<Discovered> {
    const all = await this.#document(remote, "/apis", acceptAggregated);
    const version =
      versionIn(all, remote) ??
      toVersionDiscovery(
        remote.version,
        (await this.#document(remote, pathOf(remote), "application/json")) ?? {},
      );
    return {
      version: { ...version, freshness: "Current" },
      openApi: await this.#openApiOf(remote),
      openApiTwo: await this.#document(remote, "/openapi/v2", "application/json"),
    };
  }

  close(): void {
    this.#forwarder.close();
  }

  async #openApiOf(remote: RemoteApiService): Promise<string | undefined> {
    const index = await this.#document(remote, openApiRoot, "application/json");
    const paths = isObject(index?.paths) ? index.paths : {};
    const entry = paths[pathOf(remote).slice(1)];
    return isObject(entry) && typeof entry.serverRelativeURL === "string"
      ? entry.serverRelativeURL
      : undefined;
  }

  async #send(
    { service, caBundle, insecureSkipTLSVerify }: RemoteApiService,
    request: ForwardedRequest,
    user: UserInfo,
  ): Promise<ApiResponse> {
    const { namespace, name, port } = service;
    const location = this.#locate(namespace, name, port);
    if (typeof location === "function") {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([key, value]) => [
          key,
          typeof value === "string" ? value : value.join(", "),
        ]),
      );
      const answer = location({ ...request, headers, user });
      const ms = request.timeoutMs;
      return await (ms === undefined ? answer : inTime(answer, this.#clock, { ms, late }));
    }
    const serverName = `${name}.${namespace}.svc`;
    return await this.#forwarder.send(
      { ...location, serverName, caBundle, insecureSkipTLSVerify },
      { ...request, headers: { ...request.headers, host: `${location.host}:${location.port}` } },
    );
  }

  #locate(namespace: string, name: string, port: number): ReturnType<ServiceResolver> {
    try {
      return this.#resolve(namespace, name, port);
    } catch (error) {
      throw new UnresolvedError(reasonOf(error));
    }
  }

  async #ask(remote: RemoteApiService, path: string, accept: string): Promise<ApiResponse> {
    const headers = { accept, ...userHeaders(aggregator) };
    const request = { method: "GET", path, headers, body: new Uint8Array() };
    return await this.#send(remote, { ...request, timeoutMs: checkTimeoutMs }, aggregator);
  }

  async #document(
    remote: RemoteApiService,
    path: string,
    accept: string,
  ): Promise<JsonObject | undefined> {
    try {
      const response = await this.#ask(remote, path, accept);
      if (response.status !== 200) return void discard(response);
      const text = Buffer.from(await readBody(response.body)).toString("utf8");
      const value = JSON.parse(text) as JsonObject;
      return isObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

const late = (): Error => new Error("context deadline exceeded");

/** The service has no address. */
class UnresolvedError extends Error {}

const isUpgrade = ({ headers }: ApiRequest): boolean =>
  headers["upgrade"] !== undefined && /\bupgrade\b/i.test(headers["connection"] ?? "");

/** The client's headers, without its credentials and what states a user. */
function passedOn({ headers }: ApiRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) =>
        name !== "authorization" &&
        name !== "accept-encoding" &&
        name !== "host" &&
        !name.startsWith("impersonate-") &&
        !name.startsWith("x-remote-"),
    ),
  );
}

function forwarded({ headers, path }: ApiRequest): Record<string, string> {
  const mark = path.indexOf("?");
  return {
    "x-forwarded-uri": mark < 0 ? path : path.slice(0, mark),
    "x-forwarded-proto": "https",
    ...(headers["host"] ? { "x-forwarded-host": headers["host"] } : {}),
  };
}

/** As Go's http.Error: text with 503. */
const httpError = (text: string): ApiResponse => textResponse(503, `${text}\n`);
