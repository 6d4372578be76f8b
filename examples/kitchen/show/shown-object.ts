// What screen.ts and watch-dinner.ts share.

/** One object of the kitchen, as the screen shows it. */
export interface ShownObject {
  readonly kind: string;
  readonly name: string;
  readonly applied: boolean;
  readonly ready: boolean;
  /** What it waits for, or what went wrong; "" when ready. */
  readonly because: string;
  readonly conditions: Readonly<Record<string, string>>;
}
