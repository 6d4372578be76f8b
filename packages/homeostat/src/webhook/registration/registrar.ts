// Registers webhooks with the API server and keeps their caBundles: level-triggered, from informers
// over its own objects alone.
import type { JsonObject } from "../../api/json.ts";
import { isConflict } from "../../api/status.ts";
import type { Cache, InformerLease } from "../../cache/index.ts";
import type { Client, JsonPatchOperation } from "../../client/client.ts";
import type { Clock } from "../../runtime/clock.ts";
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
}

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
      return { target, lease, pace, isContestSaid: false, isApplied: false };
    });
  }

  /**
   * Writes what differs; resolves to the time until the next call. `bundle` is undefined when
   * caBundles are not ours to write.
   */
  async pass(bundle: string | undefined): Promise<number> {
    let restMs = Infinity;
    for (const watched of this.#watched)
      restMs = Math.min(restMs, await this.#passOne(watched, bundle));
    return restMs;
  }

  async #passOne(watched: Watched, bundle: string | undefined): Promise<number> {
    const { clock, register } = this.#options;
    const { target, pace } = watched;
    const object = found(watched);
    const isWhole = register === "create" && needsApply(watched, object);
    const body = object && bundle !== undefined ? bundlePatch(target, object, bundle) : [];
    if (!isWhole && body.length === 0) return this.#restOf(watched);
    const waitMs = pace.waitMs(bundle ?? "", clock.monotonic());
    if (pace.isContested) this.#sayContest(watched, object);
    if (waitMs > 0) return waitMs;
    if (isWhole) await this.#apply(watched, bundle);
    else if (!(await this.#patch(watched, object!, body))) return Infinity;
    pace.wrote(bundle ?? "", clock.monotonic());
    return this.#restOf(watched);
  }

  #restOf(watched: Watched): number {
    const { clock, log } = this.#options;
    const { pace, target } = watched;
    const restMs = pace.restMs(clock.monotonic());
    if (watched.isContestSaid && !pace.isContested) {
      log.info(`${target.kind.kind} ${target.name} is no longer changed back`);
      watched.isContestSaid = false;
    }
    return restMs;
  }

  #sayContest(watched: Watched, object: JsonObject | undefined): void {
    if (watched.isContestSaid) return;
    watched.isContestSaid = true;
    const { log, fieldManager } = this.#options;
    const { target } = watched;
    const others = object ? otherWriters(object, fieldManager) : [];
    const who = others.length > 0 ? others.join(", ") : "another client";
    log.warn(
      `${who} changes the caBundle of ${target.kind.kind} ${target.name} back again and again: it is written every 1 to 30 s from now on, and admission fails in between; let one of the two write it`,
    );
  }

  async #apply(watched: Watched, bundle: string | undefined): Promise<void> {
    const { client, fieldManager, log } = this.#options;
    const { target } = watched;
    const manifest = target.manifest(bundle);
    await client.apply(target.kind, manifest, { force: true, fieldManager });
    watched.isApplied = true;
    log.info(`registered ${target.kind.kind} ${target.name}`);
  }

  /** False when another change came between. */
  async #patch(
    { target }: Watched,
    object: JsonObject,
    body: readonly JsonPatchOperation[],
  ): Promise<boolean> {
    const { client, fieldManager, log } = this.#options;
    const { name, resourceVersion } = object["metadata"] as Record<string, string>;
    const guard = {
      op: "test",
      path: "/metadata/resourceVersion",
      value: resourceVersion,
    } as const;
    try {
      const patch = { type: "json", body: [guard, ...body] } as const;
      await client.patch(target.kind, name!, patch, { fieldManager });
    } catch (error) {
      // The change that came between is heard, and the next pass repeats this one.
      if (!isConflict(error) && !isFailedTest(error)) throw error;
      return false;
    }
    log.info(`wrote the caBundle of ${target.kind.kind} ${target.name}`);
    return true;
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

/** A JSON patch whose test fails is 422 Invalid, see k8s.io/apiserver/pkg/endpoints/handlers. */
const isFailedTest = (error: unknown): boolean =>
  error instanceof Error && /test operation|testing path|test failed/i.test(error.message);
