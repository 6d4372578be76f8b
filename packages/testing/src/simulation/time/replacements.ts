// Functions that are replaced for a while, and put back.

type Callable = (...args: never[]) => unknown;

/** Members of objects that have been replaced. */
export class Replacements {
  readonly #originals: {
    readonly owner: object;
    readonly name: string;
    /** Undefined for what the owner inherits. */
    readonly own: PropertyDescriptor | undefined;
  }[] = [];

  set(owner: object, name: string, value: unknown): void {
    this.#originals.push({ owner, name, own: Object.getOwnPropertyDescriptor(owner, name) });
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  }

  /** Replaces a function by one that may call it. */
  replace(owner: object, name: string, by: (real: Callable) => Callable): void {
    const real = Reflect.get(owner, name) as Callable;
    this.set(owner, name, by(real));
  }

  restore(): void {
    for (const { owner, name, own } of this.#originals.splice(0).toReversed())
      if (own) Object.defineProperty(owner, name, own);
      else Reflect.deleteProperty(owner, name);
  }
}
