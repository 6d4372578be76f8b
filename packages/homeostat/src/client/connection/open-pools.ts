// undici's pools for one server: one for requests, one for streams. A proxy is passed here.
import { createRequire } from "node:module";
import type { ConnectionOptions } from "node:tls";
import type { buildConnector, Client, Dispatcher, Pool } from "undici";
import type { TlsAccess } from "../kubeconfig/cluster-access.ts";

export interface Pools {
  readonly calls: Pool;
  /** Connections of their own. */
  readonly streams: Pool;
}

export interface PoolOptions {
  readonly server: URL;
  readonly tls: TlsAccess;
  /** Through which connections are made. */
  readonly tunnel: URL | undefined;
  readonly connections: number;
  readonly connectTimeoutMs: number;
}

/** Opens no connection yet. */
export function openPools({
  server,
  tls,
  tunnel,
  connections,
  connectTimeoutMs,
}: PoolOptions): Pools {
  const { buildConnector, Client, Pool } = loadPools();
  const base = { timeout: connectTimeoutMs, allowH2: false, ...tlsOptions(tls) };
  const straight = buildConnector(base);
  const connect = tunnel
    ? throughTunnel(straight, { proxy: tunnel, timeoutMs: connectTimeoutMs, tls: tlsOptions(tls) })
    : straight;
  const factory = (to: URL, own: object): Dispatcher => staysFree(new Client(to, own));
  const shared = { connect, factory, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 };
  return {
    calls: new Pool(server.origin, { ...shared, connections }),
    streams: new Pool(server.origin, { ...shared, connections: null }),
  };
}

/**
 * undici's Pool without its other modules (fetch, WebSocket, caches), which cost 40 ms of start-up
 * and 15 MB. The version is pinned.
 */
function loadPools(): Pick<typeof import("undici"), "buildConnector" | "Client" | "Pool"> {
  const require = createRequire(import.meta.url);
  type Undici = typeof import("undici");
  return {
    buildConnector: require("undici/lib/core/connect.js") as Undici["buildConnector"],
    Client: require("undici/lib/dispatcher/client.js") as Undici["Client"],
    Pool: require("undici/lib/dispatcher/pool.js") as Undici["Pool"],
  };
}

function tlsOptions(tls: TlsAccess) {
  return {
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(tls.insecureSkipVerify ? { rejectUnauthorized: false } : {}),
  };
}

function throughTunnel(
  straight: buildConnector.connector,
  how: { readonly proxy: URL; readonly timeoutMs: number; readonly tls: ConnectionOptions },
): buildConnector.connector {
  return (target, done) => {
    const isSecure = target.protocol === "https:";
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const port = Number(target.port || (isSecure ? 443 : 80));
    import("./open-tunnel.ts")
      .then(({ openTunnel }) => openTunnel({ ...how, host, port }))
      .then(
        (socket) =>
          isSecure ? straight({ ...target, httpSocket: socket }, done) : done(null, socket),
        (error: Error) => done(error, null),
      );
  };
}

/**
 * Marks a connection that refused a request as free. undici's pool does not distinguish the refusal
 * (of a path or header) from being busy: it would wait for an idle connection forever, and block
 * completely after as many refusals as it has connections.
 */
function staysFree(connection: Client): Client {
  const dispatch = connection.dispatch.bind(connection);
  connection.dispatch = (options, handler) =>
    dispatch(options, handler) || connection.stats.size === 0;
  return connection;
}
