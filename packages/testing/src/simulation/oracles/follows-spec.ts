// An operator follows a change of what its user wants: where objects that are created as they are
// wanted now would give another result than those of before, what is there is not as it was before.
import { equalJson, type JsonObject } from "homeostat/api";
import type { Outcome, Rest } from "../run/outcome.ts";
import { compare } from "./compare.ts";
import type { EndState } from "./end-state.ts";
import { madeBy, wantedAt } from "./user-objects.ts";
import type { Violation } from "./violation.ts";

/** The outcome of creating what is wanted on an empty server; undefined if it does not converge. */
export type CreateAnew = (wanted: readonly JsonObject[]) => Promise<Outcome | undefined>;

/** What is wrong with a run in which nothing else goes wrong. */
export async function unfollowed(run: Outcome, create: CreateAnew): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const [i, rest] of run.rests.entries()) {
    const before = run.rests[i - 1];
    if (before === undefined) continue;
    const wanted = { before: wantedAt(run, before), now: wantedAt(run, rest) };
    if (!isChange(wanted.before, wanted.now)) continue;
    const old = await create(wanted.before);
    const anew = await create(wanted.now);
    if (old && anew) violations.push(...stayed({ run, before, rest, old, anew }));
  }
  return violations;
}

/** The same objects, of which some are wanted otherwise. */
function isChange(before: readonly JsonObject[], now: readonly JsonObject[]): boolean {
  const names = (objects: readonly JsonObject[]): string =>
    objects
      .map(({ kind, metadata }) => `${String(kind)} ${keyOf(metadata as unknown as Meta)}`)
      .toSorted()
      .join();
  return now.length > 0 && names(before) === names(now) && !equalJson([...before], [...now]);
}

interface Comparison {
  readonly run: Outcome;
  readonly before: Rest;
  readonly rest: Rest;
  readonly old: Outcome;
  readonly anew: Outcome;
}

/** The objects that nobody has touched, and that would be others if they were made anew. */
function stayed({ run, before, rest, old, anew }: Comparison): readonly Violation[] {
  const [then, now] = [statesOf(old), statesOf(anew)];
  const titles = new Set([...titlesOf(run), ...titlesOf(old), ...titlesOf(anew)]);
  const when = rest === run.rests.at(-1) ? "in the end" : `at rest ${run.rests.indexOf(rest)}`;
  return [...titles]
    .filter((title) => revisionOf(before, title) === revisionOf(rest, title))
    .flatMap((title) => {
      const is = before.state.get(title);
      const kept = new Set(compare(then.get(title), is).map(({ path }) => path));
      const changed = compare(then.get(title), now.get(title)).filter(
        ({ path }) => !kept.has(path) && !kept.has("") && !path.startsWith("status"),
      );
      return changed.slice(0, 1).map(({ path, expected, actual }) => ({
        oracle: "follows-its-spec" as const,
        what: `${when}, ${title} is as it was before the change; made anew, ${path || "it"} is ${show(actual)} instead of ${show(expected)}`,
      }));
    });
}

const show = (value: unknown): string => {
  if (value === undefined) return "absent";
  return typeof value === "object" ? "there" : JSON.stringify(value);
};

const statesOf = ({ rests }: Outcome): EndState => rests.at(-1)?.state ?? new Map();

interface Meta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generateName?: string;
  readonly resourceVersion?: string;
}

const keyOf = ({ name, namespace }: Meta): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

const titleOf = (object: JsonObject): string =>
  `${String(object["kind"])} ${keyOf(object["metadata"] as unknown as Meta)}`;

/** History, and what is kept for its data. */
const kept = new Set(["ControllerRevision", "PersistentVolumeClaim"]);

/** What the operator has made under names of its own. */
function titlesOf(run: Outcome): readonly string[] {
  const made = madeBy(run);
  const objects = run.rests.flatMap((rest) => rest.objects);
  return objects
    .filter((object) => {
      const { uid, generateName } = object["metadata"] as unknown as Meta;
      return made.has(uid) && generateName === undefined && !kept.has(String(object["kind"]));
    })
    .map(titleOf);
}

const revisionOf = ({ objects }: Rest, title: string): string | undefined => {
  const object = objects.find((one) => titleOf(one) === title);
  return (object?.["metadata"] as Meta | undefined)?.resourceVersion;
};
