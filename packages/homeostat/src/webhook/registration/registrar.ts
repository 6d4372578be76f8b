// Registers webhooks with the API server and keeps their caBundles: level-triggered, from informers
// over its own objects alone.
import type { JsonObject } from "../../api/json.ts";
import { isConflict, isInvalid } from "../../api/status.ts";
import type { Cache, InformerLease } from "../../cache/index.ts";
import type { Client, JsonPatchOperation } from "../../client/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import { describeError } from "../../util/describe-error.ts";
import type { Log } from "../../util/guard-log.ts";
import { holdsBundle } from "../pki/certificate-facts.ts";
import { otherWriters } from "./other-writers.ts";
import { bundlePatch, type Target } from "./target.ts";
import { WritePace } from "./write-pace.ts";

interface RegistrarOptions {
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Log;
  readonly targets: readonly Target[];
  readonly register: "create" | "inject";
  readonly fieldManager: string;
  readonly changed: () => void;
}

interface Watched {
  readonly target: Target;
  readonly lease: InformerLease;
  readonly pace: WritePace;
  isContestSaid: boolean;
  isApplied: boolean;
  /** Writes in a row that another replica's change came before, by the server's answer. */
  refusals: number;
}

/** A refusal that stays is no race. */
const mostRefusals = 20;

/** Another replica's write is heard by then. */
export const overtakenMs = 100;

/** Writes the targets of one server. */
export class Registrar {
  readonly #options: RegistrarOptions;
  readonly #watched: readonly Watched[];

  constructor(options: RegistrarOptions) {
    this.#options = options;
    const { cache, changed } = options;
    this.#watched = options.targets.map((target) => {
      const lease = cache.acquire(target.kind, { fieldSelector: `metadata.name=${target.name}` });
      lease.informer.addHandler({ added: changed, updated: changed, deleted: changed });
      const pace = new WritePace();
      return { target, lease, pace, isContestSaid: false, isApplied: false, refusals: 0 };
    });
  }

  /**
   * Writes what differs. `bundle` is undefined when caBundles are not ours to write. Resolves to
   * the time until the next call: soon, when another replica's change came between.
   */
  async pass(bundle: string | undefined): Promise<number> {
    let restMs = Infinity;
    for (const watched of this.#watched) {
      const { kind, name } = watched.target;
      try {
        restMs = Math.min(restMs, await this.#passPaced(watched, bundle));
        watched.refusals = 0;
      } catch (error) {
        const isRace = isConflict(error) || (isInvalid(error) && isFailedTest(error));
        if (!isRace || ++watched.refusals > mostRefusals)
          throw new Error(`writing ${kind.kind} ${name}: ${describeError(error)}`, {
            cause: error,
          });
        restMs = Math.min(restMs, overtakenMs);
      }
    }
    return restMs;
  }

  /** Not as fast as another writer that insists. Resolves to the time until the next pass. */
  async #passPaced(watched: Watched, bundle = ""): Promise<number> {
    const { clock, log } = this.#options;
    const { pace, target } = watched;
    const work = this.#workOn(watched, bundle === "" ? undefined : bundle);
    if (work) {
      const waitMs = pace.waitMs(bundle, clock.monotonic());
      if (pace.isContested) this.#sayContest(watched);
      if (waitMs > 0) return waitMs;
      await work();
      pace.wrote(bundle, clock.monotonic());
    }
    const restMs = pace.restMs(clock.monotonic());
    if (watched.isContestSaid && !pace.isContested) {
      log.info(`${target.kind.kind} ${target.name} is no longer changed back`);
      watched.isContestSaid = false;
    }
    return restMs;
  }

  #sayContest(watched: Watched): void {
    if (watched.isContestSaid) return;
    watched.isContestSaid = true;
    const { log, fieldManager } = this.#options;
    const { kind, name } = watched.target;
    const object = found(watched);
    const others = object ? otherWriters(object, fieldManager) : [];
    const who = others.length > 0 ? others.join(", ") : "another client";
    log.warn(
      `${who} changes the caBundle of ${kind.kind} ${name} back again and again: it is written every 1 to 30 s from now on, and admission fails in between; let one of the two write it`,
    );
  }

  /** What is to be written; undefined when nothing differs. */
  #workOn(watched: Watched, bundle: string | undefined): (() => Promise<void>) | undefined {
    const { client, register, fieldManager, log } = this.#options;
    const { target } = watched;
    const object = found(watched);
    const { kind } = target;
    if (register === "create" && needsApply(watched, object))
      return async () => {
        if (object) await this.#patch(target, object, target.readdress(object, bundle));
        await client.apply(kind, target.manifest(bundle), { force: true, fieldManager });
        watched.isApplied = true;
        log.info(`registered ${kind.kind} ${target.name}`);
      };
    const body = object && bundle !== undefined ? bundlePatch(target, object, bundle) : [];
    if (body.length === 0) return undefined;
    return async () => {
      await this.#patch(target, object!, body);
      log.info(`wrote the caBundle of ${kind.kind} ${target.name}`);
    };
  }

  /** Changes the object as it was seen. */
  async #patch(
    { kind, name }: Target,
    object: JsonObject,
    body: readonly JsonPatchOperation[],
  ): Promise<void> {
    if (body.length === 0) return;
    const { resourceVersion } = object["metadata"] as Record<"resourceVersion", string>;
    const guard = {
      op: "test",
      path: "/metadata/resourceVersion",
      value: resourceVersion,
    } as const;
    const { client, fieldManager } = this.#options;
    await client.patch(kind, name, { type: "json", body: [guard, ...body] }, { fieldManager });
  }

  /** True when all targets that exist hold the bundle: nobody calls by those that do not. */
  isPublished(bundle: string): boolean {
    return this.#bundles().every((pem) => holdsBundle(pem, bundle));
  }

  /** All caBundles as one PEM text. */
  trusted(): string {
    return this.#bundles().join("");
  }

  #bundles(): readonly string[] {
    return this.#watched.flatMap((watched) => {
      const object = found(watched);
      return object ? watched.target.bundles(object).map(({ pem }) => pem) : [];
    });
  }

  /** Why the API server does not call this server, or not for all. */
  reasons(bundle: string | undefined): readonly string[] {
    return this.#watched.flatMap((watched) => {
      const { target } = watched;
      const object = found(watched);
      const name = `${target.kind.kind} ${target.name}`;
      if (!object) return [`${name} does not exist`];
      const fault = target.fault(object);
      if (fault !== undefined) return [`${name} ${fault}`];
      const isBehind =
        bundle !== undefined &&
        !target.bundles(object).every(({ pem }) => holdsBundle(pem, bundle));
      return isBehind ? [`${name} has another caBundle`] : [];
    });
  }

  /** Deletes the webhook configurations; definitions keep their conversion. */
  async remove(): Promise<void> {
    const { client, log } = this.#options;
    for (const watched of this.#watched) {
      const object = found(watched);
      if (!watched.isApplied || !object || !("webhooks" in object)) continue;
      const { name, uid } = object["metadata"] as Record<"name" | "uid", string>;
      await client
        .delete(watched.target.kind, name, { preconditions: { uid } })
        .then(() => log.info(`deleted ${watched.target.kind.kind} ${name}`))
        .catch((error: unknown) =>
          log.warn(`deleting ${watched.target.kind.kind} ${name}`, { error }),
        );
    }
  }
}

const found = ({ lease, target }: Watched): JsonObject | undefined =>
  lease.informer.get({ name: target.name }) as JsonObject | undefined;

/** Whole manifests are written once by each process: an older replica must not undo a newer one. */
function needsApply({ isApplied, target }: Watched, object: JsonObject | undefined): boolean {
  const isDefinition = target.kind.kind === "CustomResourceDefinition";
  if (!object) return !isDefinition;
  return !isApplied || target.fault(object) !== undefined;
}

/**
 * A JSON patch whose test fails is 422 Invalid: kube-apiserver drops the reason where it has made a
 * status of the error, see k8s.io/apiserver/pkg/endpoints/handlers/patch.go and
 * k8s.io/apimachinery/pkg/api/errors (NewGenericServerResponse).
 */
const isFailedTest = (error: Error): boolean =>
  /test operation|testing path|test failed|due to an error in our request/i.test(error.message);
