// The webhooks of one process: certificates, port and registration, brought to their desired state
// by one pass that is repeated on every change. Start-up: certificates, port, registration.
// Upstream: sigs.k8s.io/controller-runtime/pkg/webhook/server.go; the certificates are what
// controller-runtime leaves to cert-manager.
import { isAlreadyExists, isConflict } from "../api/status.ts";
import { type Cache, createCache } from "../cache/index.ts";
import type { Timer } from "../runtime/clock.ts";
import { sleep } from "../runtime/sleep.ts";
import { describeError } from "../util/describe-error.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { serialOf, type Validity, validityOf } from "./pki/certificate-facts.ts";
import type { CertificateSource } from "./pki/certificate-source.ts";
import { PlaceOfWebhooks } from "./place-of-webhooks.ts";
import { createSource } from "./pki/create-source.ts";
import { annotationsOf } from "./pki/secret-of.ts";
import { Registrar } from "./registration/registrar.ts";
import { targetsOf } from "./registration/targets.ts";
import { hooksOf } from "./hooks-of.ts";
import { type HookServer, openHookServer } from "./server/hook-server.ts";
import type { WebhooksContext, WebhooksOptions } from "./webhooks-options.ts";

/** Webhooks that are served. */
export interface Webhooks {
  /**
   * Opens the port and registers. Resolves once the API server knows all of them, or after
   * `timeoutMs`: the rest is repeated until it succeeds.
   * @throws ERR_WEBHOOK_START when there is no certificate in time, or no port
   */
  start(timeoutMs: number): Promise<void>;
  /** Asks clients to leave with their next answer; all are still answered. */
  drain(): void;
  /**
   * Answers what has been asked, then closes the port; at once when `cut` aborts, which soon
   * also breaks off requests to the API server.
   */
  stop(cut: AbortSignal): Promise<void>;
  /** Why the API server does not call them, or not for all; empty when it does. */
  reasons(): readonly string[];
  /** The port, once it is open. */
  readonly port: number | undefined;
  report(): WebhooksReport;
}

/** What is served, and with which certificate. */
export interface WebhooksReport {
  readonly port: number | undefined;
  readonly paths: readonly string[];
  readonly reasons: readonly string[];
  /** Undefined while there is none. */
  readonly certificate: (Validity & { readonly serial: string }) | undefined;
}

/** Creates webhooks. Nothing is read or opened before `start`. */
export function createWebhooks(options: WebhooksOptions, context: WebhooksContext): Webhooks {
  return new ServedWebhooks(options, context);
}

/** Intervals after failures. */
const [firstRetryMs, lastRetryMs] = [1000, 30_000];
/** Another replica's write is heard by then. */
const overtakenMs = 100;
/** Clocks jump, and files are swapped: never rest longer. */
const longestRestMs = 600_000;

/** After a cut: enough for a server that answers, which is to forget what is registered by URL. */
const cutRequestsMs = 1000;

class ServedWebhooks implements Webhooks {
  readonly #options: WebhooksOptions;
  readonly #context: WebhooksContext;
  readonly #place: PlaceOfWebhooks;
  readonly #stopping = new AbortController();
  /** Breaks off requests. */
  readonly #cutting = new AbortController();
  #parts: Parts | undefined;
  #server: HookServer | undefined;
  #served: string | undefined;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isAsked = false;
  #failures = 0;
  #drainedAt: number | undefined;
  #freshnessLog: { stop(): void } | undefined;
  #stopped: Promise<void> | undefined;
  #lastError = "";
  readonly #started = Promise.withResolvers<void>();

  constructor(options: WebhooksOptions, context: WebhooksContext) {
    this.#options = options;
    this.#context = context;
    this.#place = new PlaceOfWebhooks(options, context.operator);
  }

  get port(): number | undefined {
    return this.#server?.port;
  }

  report(): WebhooksReport {
    const cert = this.#parts?.source.pair()?.cert;
    const validity = cert === undefined ? undefined : validityOf(cert);
    return {
      port: this.port,
      paths: hooksOf(this.#options.serve).map(({ path }) => path),
      reasons: this.reasons(),
      certificate: validity && { serial: serialOf(cert!), ...validity },
    };
  }

  async start(timeoutMs: number): Promise<void> {
    const { runtime, operator } = this.#context;
    this.#parts = this.#open();
    const late = runtime.clock.timer(timeoutMs, () => this.#started.resolve());
    const { signal } = this.#stopping;
    signal.addEventListener("abort", () => this.#started.resolve(), { once: true });
    void this.#parts.cache.synced(signal).then(
      () => this.#poke(),
      () => {},
    );
    try {
      await this.#started.promise;
    } finally {
      late.cancel();
    }
    if (this.#server || signal.aborted) return;
    throw startError(operator, this.reasons().join("; ") || "the API server does not answer");
  }

  #open(): Parts {
    const { runtime, log, operator } = this.#context;
    const client = this.#context.client.with({ signal: this.#cutting.signal });
    const changed = (): void => this.#poke();
    const warn = (error: unknown): void => log.warn(`webhooks: ${describeError(error)}`);
    const cache = createCache({ client, runtime, onError: warn });
    this.#freshnessLog = this.#context.follow?.(cache);
    const source = createSource(this.#options, {
      ...this.#context,
      client,
      cache,
      changed,
      place: this.#place,
    });
    const registrar = new Registrar({
      client,
      cache,
      log,
      changed,
      targets: targetsOf(this.#options.serve, {
        place: this.#place,
        annotations: annotationsOf(this.#options),
      }),
      register: this.#options.register ?? "create",
      fieldManager: `${operator}/webhooks`,
    });
    cache.start();
    return { cache, source, registrar };
  }

  /** Runs a pass soon; several calls make one. */
  #poke(): void {
    this.#isAsked = true;
    if (this.#running || this.#stopping.signal.aborted || !this.#parts) return;
    if (!this.#parts.cache.informers().every((informer) => informer.hasSynced())) return;
    this.#running = this.#runPasses().finally(() => {
      this.#running = undefined;
    });
  }

  async #runPasses(): Promise<void> {
    while (this.#isAsked && !this.#stopping.signal.aborted) {
      this.#isAsked = false;
      this.#timer?.cancel();
      const restMs = await this.#pass().catch((error: unknown) => this.#failed(error));
      if (restMs <= 0) this.#isAsked = true;
      else this.#rest(Math.min(restMs, longestRestMs));
    }
  }

  #rest(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#context.runtime.clock.timer(ms, () => this.#poke());
  }

  async #pass(): Promise<number> {
    const { source, registrar } = this.#parts!;
    const restMs = await source.pass(registrar);
    await this.#serve();
    const isOvertaken = this.#server !== undefined && (await registrar.pass(source.bundle()));
    this.#failures = 0;
    this.#lastError = "";
    if (this.#server && registrar.reasons(source.bundle()).length === 0) this.#started.resolve();
    return isOvertaken ? Math.min(restMs, overtakenMs) : restMs;
  }

  /** Opens the port once there is a certificate, and changes the certificate of an open one. */
  async #serve(): Promise<void> {
    const pair = this.#parts!.source.pair();
    if (!pair || this.#served === pair.cert) return;
    if (this.#server) this.#server.setCertificate(pair);
    else {
      const { port, host } = this.#place;
      const { runtime, log, observe, trace } = this.#context;
      const hooks = hooksOf(this.#options.serve);
      this.#server = await openHookServer({
        hooks,
        certificate: pair,
        port,
        host,
        runtime,
        log,
        observer: observe?.(hooks.map(({ path }) => path)),
        trace,
      }).catch((cause: unknown) => {
        this.#started.reject(startError(this.#context.operator, describeError(cause), cause));
        throw cause;
      });
      this.#place.opened(this.#server.port);
      log.info(`webhooks listen on port ${this.#server.port}`, {
        paths: hooks.map(({ path }) => path).join(", "),
      });
    }
    this.#served = pair.cert;
  }

  /** Says an error once, however often it comes. */
  #failed(error: unknown): number {
    if (this.#cutting.signal.aborted) return lastRetryMs;
    // Another replica was first; its write is heard.
    if (isConflict(error) || isAlreadyExists(error)) return overtakenMs;
    const message = describeError(error);
    if (message !== this.#lastError) this.#context.log.error(`webhooks: ${message}`, { error });
    this.#lastError = message;
    return Math.min(firstRetryMs * 2 ** this.#failures++, lastRetryMs);
  }

  reasons(): readonly string[] {
    const { source, registrar, cache } = this.#parts ?? {};
    if (!source || !registrar || !cache) return ["webhooks have not been started"];
    const unsynced = cache.informers().filter((informer) => !informer.hasSynced());
    const byCause = Map.groupBy(unsynced, (informer) => {
      const { lastError, reason } = informer.freshness();
      return lastError ?? reason;
    });
    const blind = [...byCause].map(
      ([cause, informers]) => `${informers.map(({ kind }) => kind.kind).join(", ")}: ${cause}`,
    );
    if (blind.length > 0 && !this.#server) return blind.map((reason) => `webhooks: ${reason}`);
    const reasons = [
      ...blind,
      ...(this.#lastError === "" ? [] : [this.#lastError]),
      ...(this.#server ? [] : ["the port is not open"]),
      ...(source.pair() ? [] : ["there is no certificate"]),
      ...(blind.length > 0 ? [] : registrar.reasons(source.bundle())),
    ];
    return reasons.map((reason) => `webhooks: ${reason}`);
  }

  drain(): void {
    this.#drainedAt ??= this.#context.runtime.clock.monotonic();
    this.#server?.drain();
  }

  stop(cut: AbortSignal): Promise<void> {
    this.#stopped ??= this.#stopOnce(cut);
    return this.#stopped;
  }

  async #stopOnce(cut: AbortSignal): Promise<void> {
    const { clock } = this.#context.runtime;
    const hold = clock.hold?.();
    const late = new Error("the stop takes too long");
    let timer: Timer | undefined;
    const end = (): void => {
      timer = clock.timer(cutRequestsMs, () => this.#cutting.abort(late));
    };
    if (cut.aborted) end();
    else cut.addEventListener("abort", end, { once: true });
    await this.#stop(cut);
    cut.removeEventListener("abort", end);
    timer?.cancel();
    hold?.cancel();
  }

  async #stop(cut: AbortSignal): Promise<void> {
    this.drain();
    this.#stopping.abort();
    this.#timer?.cancel();
    await this.#running?.catch(() => {});
    if (!this.#parts) return;
    const { source, registrar, cache } = this.#parts;
    const { url, service } = this.#options;
    if (url !== undefined) await registrar.remove();
    const { runtime, log } = this.#context;
    const drainMs = this.#options.drainMs ?? (service ? 3000 : 0);
    const drainedMs = runtime.clock.monotonic() - (this.#drainedAt ?? 0);
    if (this.#server && drainedMs < drainMs) await sleep(runtime.clock, drainMs - drainedMs, cut);
    const left = (await this.#server?.close(cut)) ?? 0;
    if (this.#server) log.debug(`webhooks: closed port ${this.#server.port}`);
    if (left > 0) log.warn(`webhooks: time is over, ${left} reviews are not answered`);
    this.#freshnessLog?.stop();
    source.stop();
    await cache.stop();
  }
}

interface Parts {
  readonly cache: Cache;
  readonly source: CertificateSource;
  readonly registrar: Registrar;
}

const startError = (operator: string, why: string, cause?: unknown): HomeostatError =>
  new HomeostatError("ERR_WEBHOOK_START", `starting the webhooks of ${operator}: ${why}`, {
    hint: "check the port, and that this user may read and write the Secret and what is registered",
    ...(cause === undefined ? {} : { cause }),
  });
