// The composition root: store, journal, core, doors and port become one server. Decides nothing
// about the API itself. Heavy things (TLS, SQLite) are imported only when the options ask for them.
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Transport } from "homeostat/api";
import { createSystemRuntime, type Runtime } from "homeostat/runtime";
import type { Authority, KeyPair } from "./certificates/authority.ts";
import type { Identity } from "./certificates/identity.ts";
import { createTokenIssuer } from "./certificates/token-issuer.ts";
import { createFrontDoor } from "./http/front-door.ts";
import type { ServerCoreOptions } from "./chain/server-core.ts";
import type { Handler, UserInfo } from "./http/handler.ts";
import { formatKubeconfig, writeKubeconfig } from "./http/kubeconfig.ts";
import { createLateHandler } from "./http/late-handler.ts";
import { makeFolders } from "./http/make-folders.ts";
import type { Listener, ServingTls } from "./http/listen.ts";
import type { KindData } from "./kinds/data/kind-data.ts";
import { createInProcessTransport } from "./in-process.ts";
import { reasonOf, ServerError } from "./server-error.ts";
import type { Simulator } from "./simulators/simulator.ts";
import type { Stage } from "./simulators/stages/stage.ts";
import { createMemoryStore } from "./storage/memory-store.ts";
import type { Journal } from "./storage/store.ts";

export interface ApiServerOptions {
  /**
   * False starts a server that only {@link ApiServer.transport} reaches: no port, no certificate.
   * Default true.
   */
  readonly listen?: boolean;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** `http` serves without TLS, and then HTTP/1.1 only. Default `https`. */
  readonly protocol?: "https" | "http";
  /**
   * Asks clients for certificates, and believes those of {@link ApiServer.issueClientCertificate}.
   */
  readonly clientCertificates?: boolean;
  /** Asks clients for certificates, and believes those that these authorities (PEM) have issued. */
  readonly clientCa?: string;
  /**
   * Serves with this certificate, and not with one of the server's own. The kubeconfig trusts it
   * and no other.
   */
  readonly servingCertificate?: KeyPair;
  /** Bearer tokens, beside the generated one, and whom they stand for. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /**
   * Keeps objects, token and authority in this folder across restarts. Without it everything is in
   * memory.
   */
  readonly dataDir?: string;
  /**
   * With `dataDir`: an acknowledged write survives a power cut, not only the end of the process.
   */
  readonly fsync?: boolean;
  /** Writes the kubeconfig there as well, mode 0600. */
  readonly kubeconfigPath?: string;
  /**
   * Admission plug-ins by name, as kube-apiserver's flags. Upstream's defaults, but ServiceAccount
   * only where it is enabled: accounts are a controller's work.
   */
  readonly admissionPlugins?: {
    readonly enable?: readonly string[];
    readonly disable?: readonly string[];
  };
  /** IPv4 addresses of services, default `10.0.0.0/24`. */
  readonly serviceClusterIpRange?: string;
  /** Node ports of services, default `30000-32767`. */
  readonly serviceNodePortRange?: string;
  /**
   * Which of the control plane's controllers run beside the API, by name as
   * kube-controller-manager's. Default `default`.
   */
  readonly controllers?: "default" | "all" | "none" | readonly string[];
  /**
   * Makes so many nodes, behind which nothing is, and lets pods live on them: adds `pod-lifecycle`
   * to the controllers.
   */
  readonly fakeNodes?: number;
  /**
   * What becomes of pods, nodes or any other objects and when, beside what becomes of pods by
   * themselves. Adds `pod-lifecycle` or `stages` to the controllers.
   */
  readonly stages?: readonly Stage[];
  /**
   * What the start waits for: that the controllers are at work too (default), or only that requests
   * are answered; they follow at once.
   */
  readonly readyWhen?: "controlling" | "serving";
  /** Told of what a controller cannot mend by trying again. Default: a warning of the process. */
  readonly warn?: (message: string, error: unknown) => void;
  /**
   * Who signs the tokens of service accounts. Default: the server, with the key of its authority.
   */
  readonly serviceAccountTokens?: {
    readonly issuer?: string;
    /** PEM, RSA or EC P-256. */ readonly privateKey?: string;
  };
  /** Time and randomness. Default: the system's. */
  readonly runtime?: Runtime;
  /** How many past changes old reads and late watches can rely on. Default 20,000. */
  readonly keepChanges?: number;
  /**
   * How often the past is forgotten: what was two such intervals ago cannot be listed any more. 0
   * never. Default five minutes, as kube-apiserver.
   */
  readonly compactionIntervalMs?: number;
  /**
   * How long an Event stays after it was last written. 0 for ever. Default one hour, as
   * kube-apiserver.
   */
  readonly eventTtlMs?: number;
}

/** A running server. `url`, `kubeconfig` and `token` are empty when it does not listen. */
export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /** A kubeconfig for the administrator, YAML. */
  readonly kubeconfig: string;
  readonly token: string;
  /**
   * Reaches the server in this process, as that user; default is the administrator. Ends with the
   * server.
   */
  transport(user?: UserInfo): Transport;
  /** A certificate by which its holder is `user`. Needs `clientCertificates`. */
  issueClientCertificate(user: string, groups?: readonly string[]): Promise<KeyPair>;
  close(): Promise<void>;
}

/** Who holds the generated token, and who calls in-process unless another user is named. */
export const administrator: UserInfo = {
  name: "kubernetes-admin",
  groups: ["system:masters", "system:authenticated"],
};

/** What a data directory holds. */
const identityFile = "identity.json";
const journalFile = "journal.db";

const controllerManager: UserInfo = {
  name: "system:kube-controller-manager",
  groups: ["system:masters", "system:authenticated"],
};

/**
 * Starts a server. Rejects with a {@link ServerError}, a JournalError of the storage, or what the
 * core throws; nothing stays open then.
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const runtime = options.runtime ?? createSystemRuntime();
  const open: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let end = open.pop(); end; end = open.pop()) await end();
  };
  try {
    const identity =
      options.listen === false ? undefined : await createOrLoadIdentity(options, runtime);
    const door = createLateHandler();
    const listener = identity && (await listenFor(door.handler, identity, options, runtime));
    if (listener) open.push(() => listener.close());
    open.push(async () => door.giveUp());
    const store = createMemoryStore({
      keepChanges: options.keepChanges ?? 20_000,
      ...(await journalOf(options)),
    });
    open.unshift(() => store.close());
    const { createServerCore } = await import("./chain/server-core.ts");
    const { readCoreChoices } = await import("./chain/core-choices.ts");
    const core = await createServerCore({
      tokenIssuer: createTokenIssuer({
        ...(identity ? { privateKey: identity.authority.key } : {}),
        ...options.serviceAccountTokens,
      }),
      store,
      runtime,
      ...upkeepOf(options),
      ...(listener
        ? {
            address: {
              host: options.host ?? "127.0.0.1",
              port: listener.port,
              hostname: hostname(),
            },
          }
        : {}),
      ...readCoreChoices({ ...options, ...clientCaOf(identity, options) }),
      tokens: new Map([
        ...(options.tokens ?? []),
        ...(identity ? [[identity.token, administrator] as const] : []),
      ]),
    });
    open.push(() => core.close());
    const handler = createFrontDoor(core.handler, runtime);
    door.open(handler);
    const transports: Transport[] = [];
    open.push(
      async () => void (await Promise.all(transports.map((transport) => transport.close()))),
    );
    open.push(
      await startControllers(
        handler,
        {
          ...options,
          ...rootCaOf(listener && identity, options),
          ...(identity ? { signer: identity.authority } : {}),
          kindData: core.kindData,
        },
        runtime,
      ),
    );
    const kubeconfig = listener ? kubeconfigOf(listener, identity, options) : "";
    return {
      url: listener?.url ?? "",
      port: listener?.port ?? 0,
      kubeconfig,
      token: identity?.token ?? "",
      transport(user) {
        const transport = createInProcessTransport(handler, user ?? administrator);
        transports.push(transport);
        return transport;
      },
      issueClientCertificate: (user, groups) =>
        issueFor(options.clientCertificates ? identity : undefined, runtime, {
          user,
          groups: groups ?? [],
        }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const upkeepOf = ({
  compactionIntervalMs,
  eventTtlMs,
  ...options
}: ApiServerOptions): Pick<ServerCoreOptions, "compactionIntervalMs" | "eventTtlMs" | "warn"> => ({
  warn: warnOf(options),
  ...(compactionIntervalMs === undefined ? {} : { compactionIntervalMs }),
  ...(eventTtlMs === undefined ? {} : { eventTtlMs }),
});

/**
 * With the certificate that the server's clients trust, and the authority whose certificates they
 * may show, where there are.
 */
type ControllerOptions = ApiServerOptions & {
  readonly rootCa?: string;
  readonly signer?: Authority;
  readonly kindData: KindData;
};

const rootCaOf = (
  identity: Identity | undefined,
  { protocol, servingCertificate }: ApiServerOptions,
): { readonly rootCa?: string } =>
  identity && protocol !== "http"
    ? { rootCa: servingCertificate?.cert ?? identity.authority.cert }
    : {};

/**
 * Controllers of the control plane are clients in the same process; they go before the API that
 * they use. Resolves to what ends them.
 */
async function startControllers(
  handler: Handler,
  options: ControllerOptions,
  runtime: Runtime,
): Promise<() => Promise<void>> {
  const words = controllerWords(options);
  if (words === "none") return async () => {};
  const start = (): Promise<() => Promise<void>> => startChosen(words, handler, options, runtime);
  if (options.readyWhen !== "serving") return await start();
  if (words !== "default" && words !== "all") await chooseControllers(words);
  if (options.stages) await checkGivenStages(options.stages);
  return startLater(start, options, runtime);
}

/** With what nodes and stages that were asked for need. */
function controllerWords({
  controllers = "default",
  fakeNodes,
  stages = [],
}: ApiServerOptions): string {
  const needsKubelet =
    fakeNodes !== undefined ||
    stages.some(({ for: { kind } }) => kind === "Pod" || kind === "Node");
  const needsStages = stages.some(({ for: { kind } }) => kind !== "Pod");
  return [controllers, needsKubelet ? "pod-lifecycle" : [], needsStages ? "stages" : []]
    .flat(2)
    .join(",");
}

async function checkGivenStages(stages: readonly Stage[]): Promise<readonly Stage[]> {
  const { checkStages } = await import("./simulators/stages/parse-stages.ts");
  return checkStages(stages);
}

/** Starts once whoever waits for the server has been told. */
function startLater(
  start: () => Promise<() => Promise<void>>,
  options: ApiServerOptions,
  runtime: Runtime,
): () => Promise<void> {
  let started: Promise<() => Promise<void>> | undefined;
  const failed = (error: unknown): (() => Promise<void>) => {
    warnOf(options)(`the controllers could not be started: ${reasonOf(error)}`, error);
    return async () => {};
  };
  const timer = runtime.clock.timer(0, () => {
    started = start().catch(failed);
  });
  return async () => {
    timer.cancel();
    await (
      await started
    )?.();
  };
}

async function chooseControllers(words: string): Promise<readonly Simulator[]> {
  const { chooseSimulators, simulatorWords } = await import("./simulators/start-simulators.ts");
  const choice = chooseSimulators(words);
  if ("chosen" in choice) return choice.chosen;
  throw new ServerError(
    "ERR_SERVER_CONTROLLER",
    `start controllers ${words}: there is no controller ${JSON.stringify(choice.unknown)}; there are ${simulatorWords().join(", ")}, the words all (or *), default and none, and each with a dash in front`,
  );
}

async function startChosen(
  words: string,
  handler: Handler,
  options: ControllerOptions,
  runtime: Runtime,
): Promise<() => Promise<void>> {
  const chosen = await chooseControllers(words);
  const { startSimulators } = await import("./simulators/start-simulators.ts");
  const transport = createInProcessTransport(handler, controllerManager);
  const { kindData, rootCa, signer, fakeNodes, stages } = options;
  const given = {
    ...(rootCa === undefined ? {} : { rootCa }),
    ...(signer ? { signer } : {}),
    ...(fakeNodes === undefined ? {} : { fakeNodes }),
    ...(stages ? { stages: await checkGivenStages(stages) } : {}),
  };
  const running = await startSimulators(chosen, {
    transport,
    runtime,
    kindData,
    warn: warnOf(options),
    ...given,
  });
  return async () => {
    await running.stop();
    await transport.close();
  };
}

const warnOf = ({ warn }: ApiServerOptions): NonNullable<ApiServerOptions["warn"]> =>
  warn ?? ((message) => process.emitWarning(message));

async function createOrLoadIdentity(
  options: ApiServerOptions,
  runtime: Runtime,
): Promise<Identity> {
  const { createIdentity, loadIdentity } = await import("./certificates/identity.ts");
  if (options.dataDir === undefined) return createIdentity(runtime);
  return inDataDir(options.dataDir, (dir) => {
    const file = join(dir, identityFile);
    if (!existsSync(file) && existsSync(join(dir, journalFile)))
      warnOf(options)(
        `${file} is gone and made anew: kubeconfigs and tokens from before are refused, and kubectl needs the new kubeconfig; the objects are kept`,
        undefined,
      );
    return loadIdentity(file, runtime);
  });
}

async function journalOf(options: ApiServerOptions): Promise<{ readonly journal?: Journal }> {
  if (options.dataDir === undefined) return {};
  const { openSqliteJournal } = await import("./storage/sqlite-journal.ts");
  const file = inDataDir(options.dataDir, (dir) => join(dir, journalFile));
  return { journal: await openSqliteJournal({ file, fsync: options.fsync ?? false }) };
}

function inDataDir<T>(dataDir: string, use: (dir: string) => T): T {
  try {
    makeFolders(dataDir, 0o700);
    return use(dataDir);
  } catch (error) {
    if (error instanceof ServerError) throw error;
    throw new ServerError(
      "ERR_SERVER_DATA_DIR",
      `open data directory ${dataDir}: ${reasonOf(error)}; name a folder that this user may write to`,
      { cause: error },
    );
  }
}

async function listenFor(
  handler: Handler,
  identity: Identity,
  options: ApiServerOptions,
  runtime: Runtime,
): Promise<Listener> {
  const { listen } = await import("./http/listen.ts");
  const host = options.host ?? "127.0.0.1";
  const tls =
    options.protocol === "http" ? {} : { tls: await servingTls(identity, options, runtime) };
  try {
    return await listen(handler, { port: options.port ?? 0, host, ...tls });
  } catch (error) {
    const inUse = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    if (inUse)
      throw new ServerError(
        "ERR_SERVER_PORT_IN_USE",
        `listen on ${host}:${options.port}: the port is in use; stop what uses it, or choose another port (0 takes a free one)`,
        { cause: error },
      );
    throw new ServerError(
      "ERR_SERVER_LISTEN",
      `listen on ${host}:${options.port ?? 0}: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

/**
 * PEM of those whose client certificates are believed: the server's own, where it or its
 * controllers issue some, and a given one.
 */
function believedAuthorities(
  identity: Identity,
  { clientCertificates, clientCa, controllers, protocol }: ApiServerOptions,
): readonly string[] {
  const words = [controllers ?? []].flat().flatMap((each) => each.split(","));
  const issues =
    clientCertificates ||
    words.some((word) =>
      ["all", "*", "csrsigning", "certificatesigningrequest-signing-controller"].includes(
        word.trim(),
      ),
    );
  return [
    ...(issues && protocol !== "http" ? [identity.authority.cert] : []),
    ...(clientCa === undefined ? [] : [clientCa]),
  ];
}

/** The same as one text, for the config map in which programs look it up. */
function clientCaOf(
  identity: Identity | undefined,
  options: ApiServerOptions,
): Pick<ApiServerOptions, "clientCa"> {
  const authorities = identity ? believedAuthorities(identity, options) : [];
  return authorities.length ? { clientCa: authorities.join("") } : {};
}

async function servingTls(
  identity: Identity,
  options: ApiServerOptions,
  runtime: Runtime,
): Promise<ServingTls> {
  const authorities = believedAuthorities(identity, options);
  return {
    ...(options.servingCertificate ?? (await issueServing(identity, options, runtime))),
    ...(authorities.length ? { clientCa: authorities } : {}),
  };
}

async function issueServing(
  identity: Identity,
  options: ApiServerOptions,
  runtime: Runtime,
): Promise<KeyPair> {
  const { issueServingCertificate } = await import("./certificates/authority.ts");
  const names = [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ];
  const addresses = [
    ...new Set([
      "127.0.0.1",
      "::1",
      ...(/^[\d.]+$|:/.test(options.host ?? "") ? [options.host!] : []),
    ]),
  ];
  return issueServingCertificate(identity.authority, { runtime, names, addresses });
}

async function issueFor(
  identity: Identity | undefined,
  runtime: Runtime,
  subject: { readonly user: string; readonly groups: readonly string[] },
): Promise<KeyPair> {
  if (!identity)
    throw new ServerError(
      "ERR_SERVER_NO_CLIENT_CERTIFICATES",
      `issue a client certificate for ${subject.user}: this server does not ask for certificates; start it with clientCertificates: true`,
    );
  const { issueClientCertificate } = await import("./certificates/authority.ts");
  return issueClientCertificate(identity.authority, { runtime, ...subject });
}

function kubeconfigOf(listener: Listener, identity: Identity, options: ApiServerOptions): string {
  const { rootCa } = rootCaOf(identity, options);
  const text = formatKubeconfig({
    url: listener.url,
    token: identity.token,
    ...(rootCa === undefined ? {} : { ca: rootCa }),
  });
  if (options.kubeconfigPath !== undefined) {
    try {
      writeKubeconfig(options.kubeconfigPath, text);
    } catch (error) {
      throw new ServerError(
        "ERR_SERVER_KUBECONFIG",
        `write kubeconfig ${options.kubeconfigPath}: ${reasonOf(error)}; name a file that this user may write`,
        { cause: error },
      );
    }
  }
  return text;
}
