// What a run is told of the signals that its code sets and clears.

/** Receives them. */
export interface SignalUse {
  uses(signal: { readonly name: string; readonly carrier: object }): void;
}
