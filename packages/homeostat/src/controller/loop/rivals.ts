// Remembers what the watch delivers of objects that another writer changes back, until the next
// write to them: a repair soon hides what it repairs, and its response shows who owns the fields
// after it, and not before.
import type { KubeObject } from "../../api/object-meta.ts";
import type { CachedObject } from "../../cache/informer.ts";
import type { CompletedWrite } from "../../client/client.ts";
import { writtenRevision } from "../../client/completed-write.ts";
import type { ContestedObjects } from "../../cache/contested-objects.ts";
import type { RecordedCause } from "../../queue/workqueue.ts";
import { type History, idOf } from "./history.ts";
import { isSameRival, type Rival, rivalOf } from "./rival.ts";

/** Revisions of one key's objects that are remembered. */
const revisionsKept = 8;

interface Seen {
  readonly id: string;
  readonly object: Pick<CachedObject, "resourceVersion" | "read">;
}

/** A run that may have found its write undone. */
interface Undoing {
  /** The write that was undone. */
  readonly undone: CompletedWrite | undefined;
  /** True for changes that runs of this manager have made. */
  readonly isOwn: (cause: RecordedCause) => boolean;
  /** Monotonic time in ms. */
  readonly at: number;
}

/** What rivals do to the objects of one controller. */
export class Rivals {
  readonly #seen = new Map<string, readonly Seen[]>();
  readonly #contested: ContestedObjects;
  readonly #manager: string;

  /** `manager` is the controller's field manager. */
  constructor(manager: string, contested: ContestedObjects) {
    this.#manager = manager;
    this.#contested = contested;
  }

  /** The watch has delivered an object that concerns a key. */
  saw(key: string, id: string, object: Seen["object"]): void {
    if (!this.#contested.has(id)) return;
    const seen = this.#seen.get(key) ?? [];
    this.#seen.set(key, [...seen, { id, object }].slice(-revisionsKept));
  }

  /** What is known of a fight after a run; from now on the watch shows who else writes. */
  fight(
    key: string,
    { undone, isProven, rival }: History,
    undoing: Undoing,
  ): Pick<History, "undone" | "isProven" | "rival"> {
    if (!undoing.undone) return { undone, isProven, rival };
    this.#contested.add(idOf(undoing.undone), undoing.at);
    const found = this.#find(key, undoing.undone, undoing);
    return {
      undone: undone + 1,
      isProven: isProven || (found && rival ? isSameRival(found, rival) : false),
      rival: found?.managers.length || !rival ? found : rival,
    };
  }

  /** The writer that has changed what `then` wrote; one with a name if there is one. */
  #find(key: string, then: CompletedWrite, { isOwn }: Undoing): Rival | undefined {
    const ours = then.object as unknown as KubeObject;
    let unnamed: Rival | undefined;
    for (const { id, object } of (this.#seen.get(key) ?? []).toReversed()) {
      const { resourceVersion } = object;
      if (id !== idOf(then) || resourceVersion === writtenRevision(then)) continue;
      const rival = rivalOf(ours, object.read() as KubeObject, this.#manager);
      const cause = { what: "changed", object: id, resourceVersion, at: 0, times: 1 };
      if (rival?.isNamesake && isOwn(cause)) continue;
      if (rival && rival.managers.length > 0) return rival;
      unnamed ??= rival;
    }
    return unnamed;
  }

  /** A run has written: what came before its writes has been dealt with. */
  wrote(key: string, writes: readonly CompletedWrite[]): void {
    const seen = this.#seen.get(key);
    if (!seen) return;
    const last = seen.findLastIndex(({ id, object }) =>
      writes.some((one) => idOf(one) === id && writtenRevision(one) === object.resourceVersion),
    );
    const later = last < 0 ? [] : seen.slice(last + 1);
    if (later.length > 0) this.#seen.set(key, later);
    else this.#seen.delete(key);
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}
