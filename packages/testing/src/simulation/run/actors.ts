// Who acts in a run.

/** User agent and field manager of the workload's client. */
export const userAgent = "user";

/** The operator's n-th process, from 1. */
export const operatorName = (number: number): string => `operator-${number}`;
