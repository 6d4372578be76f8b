// What the operator's processes have written, as the server answered.
import type { Sent } from "../wire/interference.ts";
import { describeTarget, type RequestInfo } from "../wire/read-request.ts";

/** One write. */
export interface Write {
  readonly process: string;
  readonly info: RequestInfo;
  readonly status: number;
  /** Virtual ms since the start. */
  readonly at: number;
  /** It has changed what the server stores. */
  readonly hasChanged: boolean;
  /** The object of the answer, where there was one. */
  readonly answer: WrittenObject | undefined;
}

/** What matters of an object. */
export interface WrittenObject {
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly generateName?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
}

/** All writes of a run. */
export class Ledger {
  readonly writes: Write[] = [];
  /** The newest revision that was seen when a write was sent. */
  readonly #seenAt = new WeakMap<Sent, bigint>();
  #newest = 0n;

  /** An event or an answer has shown this revision. */
  saw(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined || !/^\d+$/.test(resourceVersion)) return;
    const revision = BigInt(resourceVersion);
    if (revision > this.#newest) this.#newest = revision;
  }

  sending(sent: Sent): void {
    this.#seenAt.set(sent, this.#newest);
  }

  /** Keeps the write with what the answer says of it. */
  add(sent: Sent, { process, at, status, body }: Answered): void {
    const answer = status < 300 ? parse(body) : undefined;
    const revision = answer?.metadata?.resourceVersion;
    const isDeletion = sent.info.verb.startsWith("delete");
    // An answer without a change carries the revision of an earlier write.
    const isSame =
      revision !== undefined && BigInt(revision) <= (this.#seenAt.get(sent) ?? this.#newest);
    this.saw(revision);
    // What an external system stores, its fake tells.
    const isCall = sent.info.verb === "call";
    const hasChanged = status < 300 && !isCall && (isDeletion || !isSame);
    this.writes.push({ process, info: sent.info, status, at, hasChanged, answer });
  }
}

interface Answered {
  readonly process: string;
  readonly at: number;
  readonly status: number;
  readonly body: Uint8Array;
}

function parse(body: Uint8Array): WrittenObject | undefined {
  try {
    return JSON.parse(Buffer.from(body).toString()) as WrittenObject;
  } catch {
    return undefined;
  }
}

/** Reports about the work rather than work: they come and go with every process. */
export const isReport = ({ resource }: RequestInfo): boolean =>
  resource === "events" || resource === "leases";

/** `create configmaps shop/a → 201`. */
export const describeWrite = ({ info, status }: Write): string =>
  `${info.verb} ${describeTarget(info)} → ${status}`;
