// Which runs of a controller have their reads of labels and annotations observed, where nothing
// else is said: enough to find what a controller always reads, few enough to cost nothing.
import { SourceTexts } from "../../util/source-texts.ts";
import { observeByAccessors } from "./observe-by-accessors.ts";
import type { ObserveMap } from "./observe-metadata.ts";

const first = 100;
const thenOneIn = 50;

/** The runs of one controller. */
export class SampledRuns {
  readonly #sources = new SourceTexts();
  #runs = 0;

  /** Observes a map of labels or annotations that a sampled run reads. */
  readonly observeMap: ObserveMap = (values, read) =>
    observeByAccessors(values, read, this.#sources);

  /** True for the first runs, and for one in fifty afterwards. */
  next(): boolean {
    this.#runs++;
    return this.#runs <= first || this.#runs % thenOneIn === 0;
  }
}
