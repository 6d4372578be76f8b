// Watches the deadlines of signals. What counts is when a signal was set, as its object says, so
// that a restart begins no new time.
import type { KubeObject } from "../../api/object-meta.ts";
import type { CachedObject, Informer } from "../../cache/informer.ts";
import type { Clock, Timer } from "../../runtime/clock.ts";
import { isObject } from "../../api/json.ts";
import { managedEntries } from "../own/owned-fields.ts";
import { carriedCondition, carriedValue, describeSignal, type Signal } from "./signal.ts";
import { signalSet } from "./write-signal.ts";

/** What watching needs. */
export interface OverdueOptions {
  /** Those with a limit that this controller reports. */
  readonly signals: readonly Signal[];
  readonly clock: Clock;
  informer(signal: Signal): Informer;
  /** A signal is still set after its time; once for each setting. */
  overdue(signal: Signal, object: CachedObject, message: string): void;
  /** An overdue signal was cleared, or its object is gone. */
  cleared(signal: Signal, key: string): void;
}

interface Watched {
  readonly since: number;
  timer: Timer | undefined;
  message: string | undefined;
}

/** Longest delay of a timer; a longer wait takes several. */
const maxDelayMs = 2 ** 31 - 1;

/** The set signals of one controller. */
export class OverdueSignals {
  readonly #options: OverdueOptions;
  readonly #watched = new Map<Signal, Map<string, Watched>>();
  readonly #connections: { remove(): void }[];

  constructor(options: OverdueOptions) {
    this.#options = options;
    this.#connections = options.signals.map((signal) => {
      this.#watched.set(signal, new Map());
      return options.informer(signal).addHandler({
        added: (entry) => this.#saw(signal, entry),
        updated: (_, entry) => this.#saw(signal, entry),
        deleted: ({ key }) => this.#forget(signal, key),
      });
    });
  }

  /** What is overdue on an object of kind `on`; undefined when nothing is. */
  messageOf(on: string, key: string): string | undefined {
    for (const [signal, objects] of this.#watched)
      if (signal.on.kind === on && objects.get(key)?.message !== undefined)
        return objects.get(key)!.message;
    return undefined;
  }

  stop(): void {
    for (const connection of this.#connections) connection.remove();
    for (const objects of this.#watched.values())
      for (const { timer } of objects.values()) timer?.cancel();
  }

  #saw(signal: Signal, entry: CachedObject): void {
    const objects = this.#watched.get(signal)!;
    const known = objects.get(entry.key);
    const since = mayCarry(signal, entry) && this.#since(signal, entry, known);
    if (since === false || since === undefined) return this.#forget(signal, entry.key);
    if (known?.since === since) return;
    known?.timer?.cancel();
    const watched: Watched = { since, timer: undefined, message: undefined };
    objects.set(entry.key, watched);
    this.#wait(signal, entry.key, watched);
  }

  #since(signal: Signal, entry: CachedObject, known: Watched | undefined): number | undefined {
    const object = entry.read() as KubeObject;
    if (carriedValue(signal.carrier, object) === undefined) return undefined;
    if ("finalizer" in signal.carrier) return timeOf(object.metadata.deletionTimestamp);
    return setAt(signal, object) ?? known?.since ?? this.#options.clock.now();
  }

  #wait(signal: Signal, key: string, watched: Watched): void {
    const { clock } = this.#options;
    const left = watched.since + signal.withinMs! - clock.now();
    watched.timer = clock.timer(Math.min(Math.max(left, 0), maxDelayMs), () => {
      if (left > maxDelayMs) this.#wait(signal, key, watched);
      else this.#report(signal, key, watched);
    });
  }

  #report(signal: Signal, key: string, watched: Watched): void {
    const { informer, overdue } = this.#options;
    const entry = informer(signal).entry(key);
    if (!entry) return;
    const names = signal.clearedBy.map((one) => `"${one}"`).join(" or ");
    const late = new Date(watched.since + signal.withinMs!).toISOString().slice(0, 19);
    watched.message = `${describeSignal(signal)} of ${signal.on.kind} ${key} was to be cleared by ${late}Z, and ${names} has not cleared it`;
    overdue(signal, entry, watched.message);
  }

  #forget(signal: Signal, key: string): void {
    const objects = this.#watched.get(signal)!;
    const known = objects.get(key);
    known?.timer?.cancel();
    objects.delete(key);
    if (known?.message !== undefined) this.#options.cleared(signal, key);
  }
}

/** Whether an object may carry the signal, without parsing it. */
function mayCarry({ carrier }: Signal, entry: CachedObject): boolean {
  if ("annotation" in carrier)
    return entry.metadataText("annotations").includes(JSON.stringify(carrier.annotation));
  if ("label" in carrier)
    return entry.metadataText("labels").includes(JSON.stringify(carrier.label));
  return "finalizer" in carrier ? entry.deleting : true;
}

/** When the signal was set, as far as the object says. */
function setAt({ carrier, name }: Signal, object: KubeObject): number | undefined {
  if ("condition" in carrier)
    return timeOf(carriedCondition(carrier.condition, object)?.lastTransitionTime);
  const [field, key] =
    "label" in carrier
      ? ["f:labels", carrier.label]
      : ["f:annotations", (carrier as { readonly annotation: string }).annotation];
  const entry = managedEntries(object).find(({ manager, fieldsV1 }) => {
    const metadata = isObject(fieldsV1) ? fieldsV1["f:metadata"] : undefined;
    const fields = isObject(metadata) ? metadata[field!] : undefined;
    const isSignal = `${String(manager)}`.endsWith(`/${signalSet(name)}`);
    return isSignal && isObject(fields) && Object.hasOwn(fields, `f:${key}`);
  });
  return timeOf(entry?.["time"]);
}

function timeOf(time: unknown): number | undefined {
  const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
