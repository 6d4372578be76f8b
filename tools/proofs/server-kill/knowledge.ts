// What the clients know about the server: acknowledged states, writes without a response, and the
// content of each resourceVersion. Compares it with what the server returns after a kill; sends
// nothing.

/**
 * An object as the proof writes it: a token that names the write, and a filling made of it, so that
 * a torn one shows.
 */
export interface Shown {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly clusterIP?: string };
}

interface State {
  readonly uid: string;
  readonly revision: number;
  readonly token: string;
  /** Of Services: what was allocated stays. */
  readonly address: string;
}

type AuthorizerAttributes =
  | { readonly deletes: true }
  | { readonly deletes: false; readonly token: string; readonly creates: boolean };

interface Cell {
  known: State | undefined;
  attempt: AuthorizerAttributes | undefined;
}

/** Annotations of a write. */
export function contentOf(token: string, size: number): Readonly<Record<string, string>> {
  return { token, filling: token.repeat(Math.ceil(size / token.length)) };
}

/** The proof has failed: the server showed what it must not. */
export class Fault extends Error {
  override readonly name = "Fault";
}

/** True for what the proof writes; controllers write other objects. */
export const isOurs = ({ metadata }: Shown): boolean => /^w\d/.test(metadata.name);

export class Knowledge {
  readonly #cells = new Map<string, Cell>();
  readonly #content = new Map<number, string>();
  newest = 0;
  acknowledged = 0;
  /** Of the writes without an answer: how many were there afterwards. */
  readonly unanswered = { whole: 0, absent: 0 };

  isThere(key: string): boolean {
    return this.#cells.get(key)?.known !== undefined;
  }

  revisionOf(key: string): number | undefined {
    return this.#cells.get(key)?.known?.revision;
  }

  begin(key: string, attempt: AuthorizerAttributes): void {
    this.#cell(key).attempt = attempt;
  }

  /**
   * A write was answered with this object; undefined for a delete. Returns its revision, if the
   * answer tells.
   */
  acknowledge(key: string, shown: Shown | undefined): number | undefined {
    const cell = this.#cell(key);
    const attempt = cell.attempt;
    cell.attempt = undefined;
    this.acknowledged++;
    if (!shown) return void (cell.known = undefined);
    const state = this.see(key, shown);
    if (!attempt || attempt.deletes || state.token !== attempt.token)
      throw new Fault(`${key}: answered with ${state.token}, asked for ${JSON.stringify(attempt)}`);
    this.#follows(key, cell.known, state);
    cell.known = state;
    return state.revision;
  }

  /** An object at a revision: it must be whole, and nothing else may ever have been there. */
  see(key: string, shown: Shown): State {
    const { uid, resourceVersion, annotations = {}, labels = {} } = shown.metadata;
    const { token = "", filling = "" } = annotations;
    if (!uid || !token || filling !== token.repeat(filling.length / token.length))
      throw new Fault(`${key} is torn: ${JSON.stringify(shown).slice(0, 300)}`);
    if (labels["hooked"] !== "yes" || labels["guarded"] !== "yes")
      throw new Fault(`${key} was written past the guards: ${JSON.stringify(labels)}`);
    const revision = Number(resourceVersion);
    this.#at(revision, `${key} ${token}`);
    return { uid, revision, token, address: shown.spec?.clusterIP ?? "" };
  }

  seeDeletion(key: string, revision: number): void {
    this.#at(revision, `${key} deleted`);
  }

  /** All that is there after a restart, by key: settles what was open. */
  settle(found: ReadonlyMap<string, Shown>, listRevision: number): void {
    if (listRevision < this.newest)
      throw new Fault(`the server is at revision ${listRevision}, and had told of ${this.newest}`);
    for (const key of found.keys())
      if (!this.#cells.has(key)) throw new Fault(`${key} was never written`);
    for (const [key, cell] of this.#cells) {
      const shown = found.get(key);
      this.#settleOne(key, cell, shown && this.see(key, shown));
    }
  }

  #settleOne(key: string, cell: Cell, found: State | undefined): void {
    const { known, attempt } = cell;
    cell.attempt = undefined;
    if (found?.revision === known?.revision) {
      if (attempt) this.unanswered.absent++;
      if (
        found &&
        known &&
        (found.uid !== known.uid || found.token !== known.token || found.address !== known.address)
      )
        throw new Fault(
          `${key}: ${JSON.stringify(found)} at the revision of ${JSON.stringify(known)}`,
        );
      return;
    }
    const whole = attempt && (attempt.deletes ? !found : found?.token === attempt.token);
    if (!whole)
      throw new Fault(
        `${key}: acknowledged ${JSON.stringify(known)}, under way ${JSON.stringify(attempt)}, found ${JSON.stringify(found)}`,
      );
    if (found) this.#follows(key, known, found);
    this.unanswered.whole++;
    cell.known = found;
  }

  #follows(key: string, before: State | undefined, after: State): void {
    if (!before) return;
    if (
      before.uid !== after.uid ||
      before.address !== after.address ||
      before.revision >= after.revision
    )
      throw new Fault(`${key}: ${JSON.stringify(after)} does not follow ${JSON.stringify(before)}`);
  }

  #at(revision: number, content: string): void {
    const before = this.#content.get(revision);
    if (before !== undefined && before !== content)
      throw new Fault(`revision ${revision} was ${before}, and is ${content}`);
    this.#content.set(revision, content);
    this.newest = Math.max(this.newest, revision);
  }

  #cell(key: string): Cell {
    const cell = this.#cells.get(key) ?? { known: undefined, attempt: undefined };
    this.#cells.set(key, cell);
    return cell;
  }
}
