// How many requests each priority level would run at once: its share of the server's limit. Pure.
// Upstream: k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go (finishQueueSetReconfigsLocked,
// plSpecCommons).
import type { Decoded } from "homeostat/api";
import type { PriorityLevelConfiguration } from "homeostat/k8s/flowcontrol/v1";

/** Upstream's defaults of --max-requests-inflight and --max-mutating-requests-inflight. */
const serverLimit = 400 + 200;

/** The limits by the names of the levels. */
export function nominalLimitSeats(
  levels: readonly Decoded<PriorityLevelConfiguration>[],
): ReadonlyMap<string, number> {
  const shares = new Map(levels.map((level) => [level.metadata?.name ?? "", sharesOf(level)]));
  const sum = shares.values().reduce((all, each) => all + each, 0);
  return new Map(
    shares
      .entries()
      .map(([name, each]) => [name, each === 0 ? 0 : Math.ceil((serverLimit * each) / sum)]),
  );
}

const sharesOf = ({ spec }: Decoded<PriorityLevelConfiguration>): number =>
  (spec?.limited ?? spec?.exempt)?.nominalConcurrencyShares ?? 0;
