// What a controller depends on without declaring it: said once per controller and thing, so that a
// reconcile that runs every second fills no log.

/** A dependency that a controller does not declare. */
export interface Breach {
  readonly controller: string;
  readonly code: "ERR_READ_UNDECLARED" | "ERR_METADATA_UNDECLARED";
  /** The object whose reconcile was the first to show it, e.g. `Box kitchen/large`. */
  readonly object: string;
  readonly message: string;
  readonly hint: string;
}

/** A breach as it is found in a run. */
export type FoundBreach = Omit<Breach, "controller">;

/** Breaches remembered; what follows is not reported. */
const remembered = 1000;

/** The breaches of one controller. */
export class Breaches {
  readonly #controller: string;
  readonly #report: (key: string, breach: Breach) => void;
  readonly #found = new Map<string, Breach>();

  /** `report` receives each breach once, with the key of the reconciled object. */
  constructor(controller: string, report: (key: string, breach: Breach) => void) {
    this.#controller = controller;
    this.#report = report;
  }

  /** `id` identifies the breach; `find` describes it, and is called for the first one only. */
  add(id: string, key: string, find: () => FoundBreach): void {
    if (this.#found.has(id) || this.#found.size >= remembered) return;
    const breach = { controller: this.#controller, ...find() };
    this.#found.set(id, breach);
    this.#report(key, breach);
  }

  all(): readonly Breach[] {
    return [...this.#found.values()];
  }
}
