// The selections that a controller declares, in `watches` and as selectors in `refs`, for one
// source. Users' functions run here: what they throw concerns that source only.
import { formatObjectKey } from "../../api/gvk.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { dropPromise } from "../../util/refuse-promise.ts";
import type { ControllerDefinition } from "../define-controller.ts";
import { targetsOf } from "../resolve-refs.ts";
import type { Predicate } from "../predicates.ts";
import { type CompiledSelection, compileSelectionOf, type Selection } from "./selection.ts";

/** One name in `watches` or `refs`. */
export interface DeclaredSelection {
  /** E.g. `watch apps`, `ref parts`. */
  readonly title: string;
  readonly target: Kind;
  readonly when: Predicate | undefined;
  /** @throws what the user's function throws, ERR_REF_TARGET, ERR_WATCH_SELECTION */
  selectionsOf(source: KubeObject): readonly CompiledSelection[];
}

/** What a controller selects rather than names. */
export function declaredSelections({
  watches,
  refs,
}: ControllerDefinition): readonly DeclaredSelection[] {
  return [
    ...Object.keys(watches).map((name) => declaredWatch(watches, name)),
    ...Object.entries(refs)
      .filter(([, ref]) => ref.many)
      .map(([name, ref]) => ({
        title: `ref ${name}`,
        target: ref.target,
        when: ref.when,
        selectionsOf: (source: KubeObject) =>
          targetsOf(ref, source).selections.map((one) => compileSelectionOf(ref.target, one)),
      })),
  ];
}

/** One name in `watches`. */
export function declaredWatch(
  watches: ControllerDefinition["watches"],
  name: string,
): DeclaredSelection {
  const { target, when, select, fixed } = watches[name]!;
  const title = `watch ${name}`;
  if (fixed) return { title, target, when, selectionsOf: () => [fixed] };
  return {
    title,
    target,
    when,
    selectionsOf(source) {
      const selection: Selection | undefined = select(source);
      return selection
        ? [compileSelectionOf(target, refusePromises(selection, target, source))]
        : [];
    },
  };
}

function refusePromises(selection: Selection, target: Kind, source: KubeObject): Selection {
  for (const [part, value] of Object.entries(selection) as readonly [string, unknown][]) {
    if (!dropPromise(value)) continue;
    throw new HomeostatError(
      "ERR_WATCH_SELECTION",
      `watching ${target.kind}: \`${part}\` of ${formatObjectKey(source.metadata)} is a promise`,
      { hint: "write a function that is not async and reads only its argument" },
    );
  }
  return selection;
}
