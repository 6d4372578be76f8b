// What the workload has made, as opposed to the operator.
import type { JsonObject } from "homeostat/api";
import { userAgent } from "../run/actors.ts";
import type { Outcome, Rest } from "../run/outcome.ts";
import { isCreation } from "./writes.ts";

interface Meta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly managedFields?: readonly { readonly manager?: string }[];
}

/** The uids of what the operator has created. */
export const madeBy = ({ writes }: Outcome): ReadonlySet<string | undefined> =>
  new Set(writes.filter(isCreation).map(({ answer }) => answer?.metadata?.uid));

/** The user's objects at a rest, in order of their first change. */
export function userObjects(run: Outcome, { objects }: Rest): readonly JsonObject[] {
  const made = madeBy(run);
  return objects.filter((object) => {
    const { uid, managedFields } = metaOf(object);
    return !made.has(uid) && managedFields?.some(({ manager }) => manager === userAgent) === true;
  });
}

/** An object as its user would create it now. */
function manifestOf(object: JsonObject): JsonObject {
  const { name, namespace, labels, annotations } = metaOf(object);
  const given = Object.entries({ namespace, labels, annotations }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const rest = Object.entries(object).filter(([key]) => key !== "status" && key !== "metadata");
  return Object.fromEntries([...rest, ["metadata", { name, ...Object.fromEntries(given) }]]);
}

/** What the user wants at a rest. */
export const wantedAt = (run: Outcome, rest: Rest): readonly JsonObject[] =>
  userObjects(run, rest).map(manifestOf);

const metaOf = (object: JsonObject): Meta => object["metadata"] as unknown as Meta;
