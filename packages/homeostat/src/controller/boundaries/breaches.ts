// What a controller does that fails in silence: it depends on what it does not declare, or drops a
// result. Said once per controller and thing, so that a reconcile that runs every second fills no
// log.

/** A mistake that nothing but a report shows. */
export interface Breach {
  readonly controller: string;
  readonly code:
    | "ERR_READ_UNDECLARED"
    | "ERR_METADATA_UNDECLARED"
    | "ERR_RESULT_UNUSED"
    | "ERR_SIGNAL_UNLISTED";
  /** The object whose reconcile was the first to show it, e.g. `Box kitchen/large`. */
  readonly object: string;
  readonly message: string;
  readonly hint: string;
}

/** A breach as it is found in a run. */
export type FoundBreach = Omit<Breach, "controller" | "code">;

/** Which breach of a code, and the key of the reconciled object. */
export interface BreachId {
  readonly id: string;
  readonly key: string;
}

/** Breaches of one code remembered; what follows is not reported. */
const remembered = 1000;
/** As above, of those that one mistake makes on each object. */
const rememberedOfObjects = 20;

/** The breaches of one controller. */
export class Breaches {
  readonly #controller: string;
  readonly #report: (key: string, breach: Breach) => void;
  readonly #ids = new Map<string, Set<string>>();
  readonly #found: Breach[] = [];

  /** `report` receives each breach once, with the key of the reconciled object. */
  constructor(controller: string, report: (key: string, breach: Breach) => void) {
    this.#controller = controller;
    this.#report = report;
  }

  /** `find` describes the breach, and is called for the first one only. */
  add(code: Breach["code"], { id, key }: BreachId, find: () => FoundBreach): void {
    const ids = this.#ids.get(code) ?? new Set();
    if (ids.has(id) || ids.size >= mostOf(code)) return;
    this.#ids.set(code, ids.add(id));
    const breach = { controller: this.#controller, code, ...find() };
    this.#found.push(breach);
    this.#report(key, breach);
  }

  /** Oldest first. */
  all(): readonly Breach[] {
    return [...this.#found];
  }
}

const mostOf = (code: Breach["code"]): number =>
  code === "ERR_RESULT_UNUSED" ? rememberedOfObjects : remembered;
