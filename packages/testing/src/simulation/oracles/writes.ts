// Which of an operator's writes have created and deleted what.
import { isReport, type Write, type WrittenObject } from "../run/ledger.ts";
import type { Outcome } from "../run/outcome.ts";
import { describeTarget } from "../wire/read-request.ts";

const isDone = ({ status, info }: Write): boolean =>
  status < 300 && !isReport(info) && info.subresource === "";

export const isCreation = (write: Write): boolean => isDone(write) && write.status === 201;

export const isDeletion = (write: Write): boolean => isDone(write) && write.info.verb === "delete";

/** What a write is addressed to, also where the server has made the name: `orders shop/a`. */
export const targetOf = ({ info, answer }: Write): string =>
  describeTarget({ ...info, name: answer?.metadata?.name ?? info.name });

/** By resource and name; what has a generated name counts by its series. */
export const createdBy = ({ writes }: Outcome): readonly string[] =>
  writes
    .filter(isCreation)
    .map(({ info, answer }) => describeTarget({ ...info, name: seriesOf(answer, info.name) }));

function seriesOf(object: WrittenObject | undefined, name: string): string {
  const { generateName = "", name: given = name } = object?.metadata ?? {};
  return generateName === "" ? given : `${generateName}…`;
}

/** Named as in `createdBy`. */
export function deletedBy({ writes }: Outcome): readonly string[] {
  const series = new Map(
    writes
      .filter(isCreation)
      .map((write) => [targetOf(write), seriesOf(write.answer, write.info.name)]),
  );
  return writes
    .filter(isDeletion)
    .map(({ info }) =>
      describeTarget({ ...info, name: series.get(describeTarget(info)) ?? info.name }),
    );
}
