// Which terminal errors were thrown where they were made. One that was thrown and caught has been
// dealt with; one that was made in a statement of its own is a forgotten `throw`.
import { SourceTexts } from "../../util/source-texts.ts";
import { isOfUser } from "../../util/user-frames.ts";

const throwing = /(?:\bthrow|\breject\()\s*(?:[\w$.]+\.|\(0,\s*[\w$.]+\))?$/;
/** An error may be made in a function that its callers throw the result of. */
const framesRead = 3;

/** The errors of one controller. */
export class ThrownResults {
  readonly #sources: Pick<SourceTexts, "before">;

  constructor(sources: Pick<SourceTexts, "before"> = new SourceTexts()) {
    this.#sources = sources;
  }

  /** False also where the program's text cannot be read. */
  has(error: unknown): boolean {
    const { stack } = error as { readonly stack?: unknown };
    if (typeof stack !== "string") return false;
    const frames = stack.split("\n").filter((line) => line.startsWith("    at "));
    return frames
      .filter((frame) => isOfUser(frame))
      .slice(0, framesRead)
      .some((frame) => throwing.test(this.#sources.before(frame) ?? ""));
  }
}
