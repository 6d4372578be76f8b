// What an operator has made is gone when what it was made for is gone.
import type { JsonObject } from "homeostat/api";
import type { Outcome, Rest } from "../run/outcome.ts";
import { lateCreation } from "./late-creation.ts";
import { madeBy, userObjects } from "./user-objects.ts";
import type { Violation } from "./violation.ts";

interface Meta {
  readonly uid: string;
  readonly name: string;
  readonly ownerReferences?: readonly {
    readonly uid: string;
    readonly kind: string;
    readonly name: string;
  }[];
}

export const leftBehind = (run: Outcome, rest: Rest): readonly Violation[] => [
  ...(run.hasGarbageCollector ? uncollected(rest.objects) : []),
  ...unowned(run, rest),
];

/** Objects whose owners are all gone. */
function uncollected(objects: readonly JsonObject[]): readonly Violation[] {
  const uids = new Set(objects.map((object) => metaOf(object).uid));
  return objects.flatMap((object) => {
    const { ownerReferences = [] } = metaOf(object);
    if (ownerReferences.length === 0 || ownerReferences.some(({ uid }) => uids.has(uid))) return [];
    const [owner] = ownerReferences;
    return [fault(object, `by ${owner!.kind} ${owner!.name}, which is gone`)];
  });
}

/** Made after the start and without an owner, while nothing of the user's is left. */
function unowned(run: Outcome, rest: Rest): readonly Violation[] {
  if (userObjects(run, rest).length > 0) return [];
  const late = lateCreation(run)?.uid;
  const made = madeBy(run);
  const fromStart = new Set(run.rests[0]?.objects.map((object) => metaOf(object).uid));
  return rest.objects
    .filter((object) => {
      const { uid, ownerReferences = [] } = metaOf(object);
      const isOrphan = made.has(uid) && !fromStart.has(uid) && ownerReferences.length === 0;
      return isOrphan && uid !== late && !isKept(object);
    })
    .map((object) => fault(object, "without an owner, when all that the user has made is gone"));
}

/** Claims are kept by custom, for their data. Upstream: persistentVolumeClaimRetentionPolicy. */
const isKept = ({ kind }: JsonObject): boolean => kind === "PersistentVolumeClaim";

const fault = (object: JsonObject, why: string): Violation => ({
  oracle: "leaves-nothing-behind",
  what: `${String(object["kind"])} ${metaOf(object).name} is left behind ${why}`,
});

const metaOf = (object: JsonObject): Meta => object["metadata"] as unknown as Meta;
