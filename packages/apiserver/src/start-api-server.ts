// The composition root: port, storage, API server and controllers become one server. Decides
// nothing about the API itself. Heavy modules (TLS, SQLite) load only when the options need them.
import { hostname, networkInterfaces } from "node:os";
import type { Transport } from "homeostat/api";
import { createSystemRuntime, type Runtime } from "homeostat/runtime";
import {
  administrator,
  type ApiServer,
  type ApiServerOptions,
  warnOf,
} from "./api-server-options.ts";
import type { Identity } from "./certificates/identity.ts";
import { createTokenIssuer } from "./certificates/token-issuer.ts";
import { withResponseHeaders } from "./http/response-headers.ts";
import { createInProcessTransport } from "./http/in-process.ts";
import type { Handler } from "./apimachinery/handler.ts";
import type { OpenAudit } from "./audit/open-audit.ts";
import type { OpenFaults } from "./faults/open-faults.ts";
import { createLateHandler } from "./http/late-handler.ts";
import type { Listener } from "./http/listen.ts";
import { openIdentity, openJournal } from "./open-data-dir.ts";
import { type ParsedOptions, parseOptions } from "./parse-options.ts";
import { type ControllerOptions, runControllers } from "./run-controllers.ts";
import {
  clientCaOf,
  createKubeconfig,
  frontProxyOf,
  defaultHost,
  issueCertificateFor,
  openPort,
  rootCaOf,
} from "./secure-serving.ts";
import type { ControlPlane } from "./server/control-plane.ts";
import { createMemoryStore } from "./storage/memory-store.ts";
import type { Store } from "./storage/store.ts";

/** What a server of these options is built from. */
interface Parts {
  readonly options: ParsedOptions;
  readonly runtime: Runtime;
  readonly store: Store;
  /** Undefined without a port. */
  readonly identity: Identity | undefined;
  readonly listener: Listener | undefined;
  readonly faulty: OpenFaults | undefined;
  readonly audit: OpenAudit | undefined;
}

/**
 * Starts a server. Rejects with a {@link ServerError} or with an error of the storage; nothing
 * stays open then.
 */
export async function startApiServer(given: ApiServerOptions = {}): Promise<ApiServer> {
  const options = await parseOptions(given);
  const runtime = options.runtime ?? createSystemRuntime();
  const open: (() => Promise<void>)[] = [];
  const close = (): Promise<void> => closeAll(open);
  try {
    const identity = options.listen === false ? undefined : await openIdentity(options, runtime);
    const late = createLateHandler();
    const listener = identity && (await openPort(late, identity, options, runtime));
    if (listener) open.push(() => listener.close());
    open.push(async () => late.giveUp());
    const { keepChanges = 20_000 } = options;
    const store = createMemoryStore({ keepChanges, ...(await openJournal(options)) });
    open.unshift(() => store.close());
    const faulty = options.faults && (await openFaultsOf(options.faults, { runtime, store }));
    if (faulty) open.push(faulty.close);
    const audit = options.audit && (await openAuditOf(options.audit, options, runtime));
    // Watches that end with the server are recorded.
    if (audit) open.unshift(audit.close);
    const core = await createCore({ options, runtime, store, identity, listener, faulty, audit });
    open.push(() => core.close());
    const handler = withResponseHeaders(core.handler, runtime);
    late.open(handler, core.upgrades);
    const transports = openTransports(handler, listener, options);
    open.push(transports.close);
    open.push(
      await runControllers(
        handler,
        options,
        { ...controllerOptions(options, identity, listener), kindData: core.kindData },
        runtime,
      ),
    );
    return {
      url: listener?.url ?? "",
      port: listener?.port ?? 0,
      kubeconfig: listener ? createKubeconfig(listener, identity, options) : "",
      token: identity?.token ?? "",
      transport: transports.create,
      audit: audit?.stream,
      faults: faulty?.faults,
      faultsEndpoint: faulty?.endpoint,
      issueClientCertificate: issuerOf(options, identity, runtime),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const issuerOf =
  (
    { clientCertificates }: ApiServerOptions,
    identity: Identity | undefined,
    runtime: Runtime,
  ): ApiServer["issueClientCertificate"] =>
  (user, groups = []) =>
    issueCertificateFor(clientCertificates ? identity : undefined, runtime, { user, groups });

/** In-process transports, which close with the server. */
function openTransports(
  handler: Handler,
  listener: Listener | undefined,
  { wrapTransport = (transport) => transport }: ApiServerOptions,
) {
  const server = listener ? new URL(listener.url).href : handler;
  const transports: Transport[] = [];
  return {
    create(user = administrator): Transport {
      const transport = wrapTransport(createInProcessTransport(handler, user, { server }));
      transports.push(transport);
      return transport;
    },
    close: async () => void (await Promise.all(transports.map((each) => each.close()))),
  };
}

/** Closes in reverse order. */
async function closeAll(open: (() => Promise<void>)[]): Promise<void> {
  for (let end = open.pop(); end; end = open.pop()) await end();
}

async function createCore(parts: Parts): Promise<ControlPlane> {
  const { options, runtime, store, identity, listener, faulty, audit } = parts;
  const { createControlPlane } = await import("./server/control-plane.ts");
  const { host = defaultHost, compactionIntervalMs, eventTtlMs } = options;
  const { clientCa } = { ...options, ...clientCaOf(identity, options) };
  return createControlPlane({
    tokenIssuer: createTokenIssuer({
      ...(identity ? { privateKey: identity.authority.key } : {}),
      ...options.serviceAccountTokens,
    }),
    store,
    runtime,
    faults: faulty?.filter,
    audit: audit?.auditor,
    openApiDescriptions: options.openApiDescriptions === true,
    warn: warnOf(options),
    serviceLocations: options.serviceLocations,
    ...(identity ? { frontProxy: frontProxyOf(identity, runtime) } : {}),
    ...(compactionIntervalMs === undefined ? {} : { compactionIntervalMs }),
    ...(eventTtlMs === undefined ? {} : { eventTtlMs }),
    ...(listener ? { address: { host, port: listener.port, hostname: hostname() } } : {}),
    advertiseAddress: advertiseAddressOf(options),
    ...options.core,
    ...(clientCa === undefined ? {} : { clientCa }),
    tokens: new Map([
      ...(options.tokens ?? []),
      ...(identity ? [[identity.token, administrator] as const] : []),
    ]),
  });
}

/** With all controllers the first address of this machine, as upstream's default. */
function advertiseAddressOf({
  advertiseAddress,
  controllers = "default",
}: ApiServerOptions): string | undefined {
  const runsAll = [controllers].flat().some((name) => name === "all" || name === "*");
  if (advertiseAddress !== undefined || !runsAll) return advertiseAddress;
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}

async function openAuditOf(
  audit: NonNullable<ApiServerOptions["audit"]>,
  options: ApiServerOptions,
  runtime: Runtime,
): Promise<OpenAudit> {
  const { openAudit } = await import("./audit/open-audit.ts");
  return openAudit(audit, { runtime, warn: warnOf(options) });
}

async function openFaultsOf(
  reach: NonNullable<ApiServerOptions["faults"]>,
  parts: Pick<Parts, "runtime" | "store">,
): Promise<OpenFaults> {
  const { openFaults } = await import("./faults/open-faults.ts");
  return openFaults(parts, reach);
}

const controllerOptions = (
  options: ApiServerOptions,
  identity: Identity | undefined,
  listener: Listener | undefined,
): Omit<ControllerOptions, "kindData"> => ({
  ...rootCaOf(listener && identity, options),
  ...(identity ? { signer: identity.authority } : {}),
});
