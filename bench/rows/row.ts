// A benchmark: what it measures, how it runs against a server, and what its figures mean.
import type { Place } from "../places/place.ts";

/** Figures of one run, by name; the unit is part of the name, e.g. `p50 ms`, `per s`. */
export type Figures = Readonly<Record<string, number | undefined>>;

/** Sizes of a run. */
export interface Scale {
  /** Multiplies object counts; 1 is what the figures are quoted for. */
  readonly factor: number;
}

interface RowHead {
  readonly name: string;
  readonly what: string;
  /** What to know before a ratio of this row is quoted. */
  readonly note?: string;
}

/** A benchmark that runs against a started server. */
export interface ServerRow extends RowHead {
  readonly at: "server";
  run(place: Place, scale: Scale): Promise<Figures>;
}

/** A benchmark that starts servers or processes itself. */
export interface StartRow extends RowHead {
  readonly at: "start";
  /** Undefined when the peer has nothing to compare. */
  run(peer: import("../places/place.ts").Peer, scale: Scale): Promise<Figures | undefined>;
}

/** A benchmark of operators, which take turns on our server, each with fresh objects. */
export interface OperatorRow extends RowHead {
  readonly at: "operator";
  run(
    peer: import("../peers/operator-peer.ts").OperatorPeer,
    place: Place,
    scale: Scale,
  ): Promise<Figures>;
}

/** A library under test, beside which others take turns. */
export interface Contender {
  readonly name: string;
  run(scale: Scale): Figures | Promise<Figures>;
}

/** A benchmark of libraries, with contenders of its own; ours is the first. */
export interface LibraryRow extends RowHead {
  readonly at: "library";
  readonly contenders: readonly Contender[];
}

export type Row = ServerRow | StartRow | OperatorRow | LibraryRow;
