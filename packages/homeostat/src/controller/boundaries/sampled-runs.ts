// Which runs of a controller have their reads of labels and annotations observed, where nothing
// else is said: enough to find what a controller always reads, few enough to cost nothing.

const first = 100;
const thenOneIn = 50;

/** The runs of one controller. */
export class SampledRuns {
  #runs = 0;

  /** True for the first runs, and for one in fifty afterwards. */
  next(): boolean {
    this.#runs++;
    return this.#runs <= first || this.#runs % thenOneIn === 0;
  }
}
