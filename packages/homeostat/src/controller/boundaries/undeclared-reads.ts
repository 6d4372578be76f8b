// What one run has read through its client and does not declare. Such a read is harmless until the
// run writes: then what it says about its object depends on something whose changes do not
// reconcile the object.
import { formatObjectKey } from "../../api/gvk.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject, ObjectKey } from "../../api/object-meta.ts";
import type { ReadTracker } from "../controller-client.ts";
import { kindId, objectId } from "../echo/run-record.ts";
import { isChild } from "../own/back-reference.ts";
import type { Breaches } from "./breaches.ts";
import type { Reads } from "./reads.ts";

/** What a controller declares. */
interface Declaring {
  readonly name: string;
  readonly kind: Kind;
  readonly owns: readonly Kind[];
  readonly refs: Readonly<Record<string, { readonly target: Kind }>>;
  readonly watches: Readonly<Record<string, { readonly target: Kind }>>;
  readonly reads: Reads;
}

/** The run that reads. */
export interface ReadingRun {
  readonly definition: Declaring;
  /** The reconciled object. */
  readonly object: KubeObject;
  readonly breaches: Breaches;
  /** The object watches the kind, although the controller does not declare it. */
  isWatched(kind: Kind): boolean;
}

interface Read {
  readonly kind: Kind;
  /** E.g. `Secret kitchen/token`, `a list of secrets`. */
  readonly what: string;
  /** The object did not exist. */
  readonly isMissing: boolean;
}

/** The reads of one run through its client. */
export class UndeclaredReads implements ReadTracker {
  readonly #run: ReadingRun;
  /** By object, or by kind for lists. */
  readonly #reads = new Map<string, Read>();
  readonly #written = new Set<string>();

  constructor(run: ReadingRun) {
    this.#run = run;
  }

  got(kind: Kind, key: ObjectKey, found: KubeObject | undefined): void {
    const { definition } = this.#run;
    if (isDeclared(definition, kind) || this.#isOwn(kind, key, found)) return;
    const name = formatObjectKey(key);
    const id = objectId(kind, name);
    if (this.#written.has(id)) return;
    this.#reads.set(id, { kind, what: `${kind.kind} ${name}`, isMissing: !found });
  }

  /** A list of its own or an owned kind may be of its children. */
  listed(kind: Kind): void {
    const { definition } = this.#run;
    if (isDeclared(definition, kind) || isOwnOrOwned(definition, kind)) return;
    this.#reads.set(kindId(kind), { kind, what: `a list of ${kind.resource}`, isMissing: false });
  }

  /**
   * Reports what the run has read. An object is not read for something else where it is what the
   * run writes now, where the run creates it because it was missing, and after the run wrote it.
   */
  writes(what: string, target?: { readonly kind: Kind; readonly key: ObjectKey }): void {
    const written = target && objectId(target.kind, formatObjectKey(target.key));
    if (written !== undefined) {
      this.#written.add(written);
      if (this.#reads.get(written)?.isMissing) this.#reads.delete(written);
    }
    for (const [id, read] of this.#reads)
      if (id !== written && !this.#run.isWatched(read.kind)) this.#report(what, read);
  }

  #isOwn(kind: Kind, key: ObjectKey, found: KubeObject | undefined): boolean {
    const { definition, object } = this.#run;
    if (kindId(kind) === kindId(definition.kind))
      return formatObjectKey(key) === formatObjectKey(object.metadata);
    if (!isOwnOrOwned(definition, kind)) return false;
    return !found || isChild(found, object);
  }

  #report(writes: string, { kind, what }: Read): void {
    const { definition, object, breaches } = this.#run;
    const key = formatObjectKey(object.metadata);
    const own = definition.kind.kind;
    breaches.add("ERR_READ_UNDECLARED", { id: kindId(kind), key }, () => ({
      object: `${own} ${key}`,
      message: `"${definition.name}" ${writes} after it has read ${what}, which it does not declare: a change of it reconciles no ${own}`,
      hint: `declare ${kind.kind} in \`refs\` or \`watches\`; if its changes need not reconcile, list it in \`reads: { kinds }\``,
    }));
  }
}

function isDeclared({ refs, watches, reads }: Declaring, kind: Kind): boolean {
  const targets = [...Object.values(refs), ...Object.values(watches)].map(({ target }) => target);
  return [...targets, ...(reads.kinds ?? [])].some((one) => kindId(one) === kindId(kind));
}

function isOwnOrOwned({ kind: own, owns }: Declaring, kind: Kind): boolean {
  return [own, ...owns].some((one) => kindId(one) === kindId(kind));
}
