// Ready says that the object as it is now is ready: its generation is observed, and none of its
// children says that it is not ready.
import type { JsonObject } from "homeostat/api";
import type { Violation } from "./violation.ts";

interface Observed {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly generation?: number;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly ObservedCondition[];
  };
}

interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: number;
}

export function readinessFaults(objects: readonly JsonObject[]): readonly Violation[] {
  const all = objects as unknown as readonly Observed[];
  const ready = all.filter((object) => readyOf(object)?.status === "True");
  return [...ready.flatMap(generationFaults), ...ready.flatMap((one) => childFaults(one, all))];
}

const readyOf = ({ status }: Observed): ObservedCondition | undefined =>
  status?.conditions?.find(({ type }) => type === "Ready");

function generationFaults(object: Observed): readonly Violation[] {
  const { generation } = object.metadata;
  const observed = readyOf(object)?.observedGeneration ?? object.status?.observedGeneration;
  if (observed === undefined || generation === undefined || observed >= generation) return [];
  return [
    fault(
      `${titleOf(object)} is Ready at generation ${observed}, but its generation is ${generation}`,
    ),
  ];
}

function childFaults(parent: Observed, all: readonly Observed[]): readonly Violation[] {
  return all
    .filter(({ metadata }) =>
      metadata.ownerReferences?.some(
        ({ uid, controller }) => uid === parent.metadata.uid && controller === true,
      ),
    )
    .filter((child) => readyOf(child)?.status === "False")
    .map((child) => fault(`${titleOf(parent)} is Ready, but its ${titleOf(child)} is not`));
}

const fault = (what: string): Violation => ({ oracle: "readiness", what });

const titleOf = ({ kind, metadata: { name, namespace } }: Observed): string =>
  `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
