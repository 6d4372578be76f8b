// Selects upstream's end-to-end cases and gives the reason for every exclusion. Pure.

/** One case as ginkgo reports it. */
export interface Spec {
  /** Below upstream's folder of end-to-end tests, e.g. `apimachinery/watch.go`. */
  readonly file: string;
  readonly name: string;
  readonly labels: readonly string[];
}

/**
 * What is done with the cases of a file, or of all files that begin so. The first choice that fits
 * a case counts.
 */
export interface Choice {
  /** E.g. `apimachinery/watch.go`, or `storage/` for a folder. */
  readonly from: string;
  /** Parts of the names of those that are run; all when absent and there is no `because`. */
  readonly only?: readonly string[];
  /** Parts of names, and why they are not run. */
  readonly not?: readonly (readonly [part: string, because: string])[];
  /** Why the rest is not run. */
  readonly because?: string;
}

/** What is run, and why the others are not. */
export interface Chosen {
  readonly run: readonly Spec[];
  readonly left: readonly { readonly spec: Spec; readonly because: string }[];
}

const noChoice = "no choice has been made for it";

/** Labels by which upstream itself sets cases apart, and what they mean here. */
const labelled: Readonly<Record<string, string>> = {
  Alpha: "a feature that is off by default",
  BetaOffByDefault: "a feature that is off by default",
  "Feature:OffByDefault": "a feature that is off by default",
  Flaky: "upstream calls it flaky",
};

/** Divides upstream's cases by the choices. */
export function chooseCases(specs: readonly Spec[], choices: readonly Choice[]): Chosen {
  const run: Spec[] = [];
  const left: { spec: Spec; because: string }[] = [];
  for (const spec of specs) {
    const because = whyNot(spec, choices);
    if (because === undefined) run.push(spec);
    else left.push({ spec, because });
  }
  return { run, left };
}

/** Undefined for a case that is run. */
function whyNot({ file, name, labels }: Spec, choices: readonly Choice[]): string | undefined {
  const choice = choices.find(({ from }) => file.startsWith(from));
  if (!choice) return noChoice;
  const label = labels.find((each) => Object.hasOwn(labelled, each));
  if (label !== undefined) return labelled[label];
  const refused = choice.not?.find(([part]) => name.includes(part));
  if (refused) return refused[1];
  return choice.only?.some((part) => name.includes(part)) ? undefined : choice.because;
}

/** Choices that no case is for: upstream has renamed what they speak of. */
export function unusedChoices(
  specs: readonly Spec[],
  choices: readonly Choice[],
): readonly string[] {
  return choices.flatMap(({ from, only = [], not = [] }) => {
    const names = specs.filter(({ file }) => file.startsWith(from)).map(({ name }) => name);
    const parts = [...only, ...not.map(([part]) => part)].filter(
      (part) => !names.some((name) => name.includes(part)),
    );
    return names.length === 0 ? [from] : parts.map((part) => `${from}: ${part}`);
  });
}

/** A regular expression (Go's) that finds these cases and hardly another. */
export const focusOf = (specs: readonly Spec[]): string =>
  specs.map(({ name }) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
