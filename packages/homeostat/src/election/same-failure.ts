// Whether a failure needs to be said again. Pure.

/** The same failure may name other durations and ports each time. */
export const isSameFailure = (one: string | undefined, other: string): boolean =>
  one !== undefined && withoutNumbers(one) === withoutNumbers(other);

const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, "");
