// Recognizes patterns that Go's regexp certainly accepts: literals, simple classes, groups,
// alternatives and plain repetitions. Most patterns are like that, and validate without an engine.
// Upstream: regexp/syntax (parse.go).

const literal = /[\w\-/:@,;=!#%&'"<>~` .]/;
const escape = /\\[dwsDWS.\-/\\^$|()[\]{}*+?]/y;
const repetition = /\{(\d{1,3})(?:,(\d{0,3}))?\}/y;
/** A hyphen is first or last; ranges are between letters or digits. */
const characterClass =
  /\[\^?(?:-(?=[^\]-]))?(?:[A-Za-z0-9](?:-[A-Za-z0-9])?|[_ .:,/@+*$%!=]|\\[dws./-](?!-))+-?\]/y;
const range = /([A-Za-z0-9])-([A-Za-z0-9])/g;
const maxPlainLength = 500;
/** Go limits the product of nested repetitions; here that of all repetitions is below the limit. */
const maxRepeated = 1000;

/** True when the pattern certainly compiles; false when unknown. */
export function isPlainPattern(pattern: string): boolean {
  if (pattern.length > maxPlainLength) return false;
  const reader = new PatternReader(pattern);
  while (reader.step());
  return reader.isDone;
}

class PatternReader {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;
  #repeated = 1;
  /** Whether a repetition may follow. */
  #repeatable = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isDone(): boolean {
    return this.#at === this.#pattern.length && this.#depth === 0;
  }

  /** Reads one element; false at the end and at an element that is not plain. */
  step(): boolean {
    const char = this.#pattern[this.#at];
    switch (char) {
      case undefined:
        return false;
      case "^":
      case "$":
      case "|":
        return this.#move(1, false);
      case "(":
        this.#depth++;
        return this.#move(this.#pattern.startsWith("(?:", this.#at) ? 3 : 1, false);
      case ")":
        return --this.#depth >= 0 && this.#move(1, true);
      case "*":
      case "+":
      case "?":
        return this.#repeatable && this.#move(1, false);
      case "{":
        return this.#repeatable && this.#repetition();
      case "[":
        return this.#class();
      case "\\":
        return this.#move(this.#match(escape)?.length ?? 0, true);
      default:
        return literal.test(char) && this.#move(1, true);
    }
  }

  #repetition(): boolean {
    const text = this.#match(repetition);
    if (!text) return false;
    const [least, most = least] = text.slice(1, -1).split(",");
    const times = Math.max(Number(least), Number(most));
    this.#repeated *= Math.max(1, times);
    return (
      (most === "" || Number(most) >= Number(least)) &&
      this.#repeated <= maxRepeated &&
      this.#move(text.length, false)
    );
  }

  #class(): boolean {
    const text = this.#match(characterClass);
    return (
      text !== undefined &&
      [...text.matchAll(range)].every(([, first, last]) => first! <= last!) &&
      this.#move(text.length, true)
    );
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    return expression.exec(this.#pattern)?.[0];
  }

  #move(by: number, repeatable: boolean): boolean {
    this.#at += by;
    this.#repeatable = repeatable;
    return by > 0;
  }
}
