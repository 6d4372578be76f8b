// Creates clients: credentials, transport and what all derived clients share. Nothing heavy is
// loaded and nothing is sent before the first call.
import type { Transport } from "../api/transport.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { createSystemRuntime } from "../runtime/system-runtime.ts";
import { createAskProvider } from "./ask-provider.ts";
import { checkClientOptions } from "./check-client-options.ts";
import type { Client } from "./client.ts";
import { createKindResolver } from "./discovery/create-kind-resolver.ts";
import { fetchDiscovery } from "./discovery/fetch-discovery.ts";
import { impersonationHeaders } from "./impersonation.ts";
import type { ClusterAccess, Impersonation } from "./kubeconfig/cluster-access.ts";
import { createCredentials, type Credentials } from "./kubeconfig/credentials.ts";
import type { Scope } from "./narrow-scope.ts";
import { ObserverCalls } from "./observer-calls.ts";
import { ScopedClient } from "./scoped-client.ts";
import { ServerPace } from "./server-pace.ts";
import { send } from "./session.ts";
import type { ClientObserver, SessionOptions } from "./session-options.ts";
import { createWarningWriter } from "./warning-writer.ts";
import { createUndiciTransport } from "./undici-transport.ts";

/** Options of a client. One of `transport` and `access` is required. */
export interface ClientOptions {
  /** An existing transport, which the client does not close. */
  readonly transport?: Transport;
  /** Cluster access from `loadKubeconfig()` or `loadInClusterConfig()`. */
  readonly access?: ClusterAccess;
  readonly runtime?: Runtime;
  /** The owner of written fields. Default: the first part of the user agent, set by the server. */
  readonly fieldManager?: string;
  /** Default `homeostat`. */
  readonly userAgent?: string;
  /** Default: the kubeconfig context's, else `default`. */
  readonly namespace?: string;
  /** Default: the kubeconfig user's. */
  readonly impersonate?: Impersonation;
  readonly observer?: ClientObserver;
  /**
   * The pace of another client of the same server, so that both together make one attempt a second
   * while it fails. Default: a new one.
   */
  readonly pace?: ServerPace;
}

/** Creates a client; sends no request. @throws ERR_CLIENT_OPTIONS */
export function createClient(options: ClientOptions): Client {
  checkClientOptions(options);
  const runtime = options.runtime ?? createSystemRuntime();
  const credentials =
    options.access &&
    createCredentials(options.access, runtime, { ask: createAskProvider(runtime) });
  const transport = options.transport ?? openTransport(options.access!, credentials);
  const observerCalls = new ObserverCalls();
  const session: SessionOptions = {
    transport,
    runtime,
    pace: options.pace ?? new ServerPace(runtime),
    observer: options.observer ? observerCalls.guard(options.observer) : {},
    observerCalls,
    access: options.access,
    credentials,
    unserved: () => kinds.doubt(),
    unheard: options.observer?.warned ? undefined : createWarningWriter(),
  };
  const scope: Scope = {
    userAgent: options.userAgent ?? "homeostat",
    impersonation: impersonationHeaders(options.impersonate ?? options.access?.impersonation),
    signals: [],
    warned: [],
    answered: [],
    fences: [],
    isUrgent: false,
    dryRun: undefined,
    fieldManager: options.fieldManager,
    namespace: options.namespace ?? options.access?.namespace ?? "default",
    written: [],
    requested: [],
  };
  const kinds = createKindResolver(
    () => fetchDiscovery((request) => send(session, scope, request)),
    runtime.clock,
  );
  const close = options.transport ? () => Promise.resolve() : () => transport.close();
  return new ScopedClient({ session, kinds, close, observers: new Set() }, scope);
}

function openTransport(
  { server, tls, origin, proxy }: ClusterAccess,
  credentials: Credentials | undefined,
): Transport {
  return createUndiciTransport({
    server,
    tls,
    origin,
    ...(proxy === undefined ? {} : { proxy }),
    ...(credentials?.certificates ? { certificates: credentials.certificates } : {}),
  });
}
