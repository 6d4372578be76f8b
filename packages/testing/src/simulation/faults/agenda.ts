// The moments of a run, counted over all processes of the operator, and which deeds are due.
import type { Deed } from "./deed.ts";

/** A moment at which a deed can be committed. */
export interface Moment {
  readonly at: Deed["at"];
  readonly number: number;
  /** `create configmaps shop/a`. */
  readonly what: string;
  /** Of a request, or the type of an event, `first` of the first. */
  readonly verb: string;
}

/** What is to be done when. */
export class Agenda {
  /** All moments that have come, in order. */
  readonly moments: Moment[] = [];
  readonly #left: Set<Deed>;
  readonly #counts = { write: 0, request: 0, event: 0 };

  constructor(deeds: readonly Deed[]) {
    this.#left = new Set(deeds);
  }

  /** A moment comes: returns the deed that is due, once. */
  due<At extends Deed["at"]>(at: At, { what, verb }: Pick<Moment, "what" | "verb">): DeedAt<At> {
    const number = ++this.#counts[at];
    this.moments.push({ at, number, what, verb });
    const due = [...this.#left].find((deed) => deed.at === at && deed.number === number);
    if (due === undefined) return undefined as DeedAt<At>;
    this.#left.delete(due);
    return due.do as DeedAt<At>;
  }
}

type DeedAt<At> = Extract<Deed, { readonly at: At }>["do"] | undefined;
