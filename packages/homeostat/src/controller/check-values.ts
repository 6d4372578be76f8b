// Checks of values that several declarations have in common, before their types can be trusted.
import { parseDuration } from "../api/duration.ts";
import { describeValue } from "../util/describe-error.ts";

const reportNames: readonly string[] = ["events", "conditions", "metadata"];

/** Problems of {@link Reports}. */
export function checkReports(reports: unknown): string[] {
  if (reports === undefined) return [];
  if (typeof reports !== "object" || reports === null)
    return [`reports is ${describeValue(reports)}, expected an object`];
  return Object.entries(reports).flatMap(([name, value]) => {
    if (!reportNames.includes(name))
      return [`reports.${name}: expected any of ${reportNames.join(", ")}`];
    if (value === undefined || typeof value === "boolean") return [];
    return [`reports.${name} is ${describeValue(value)}, expected true or false`];
  });
}

/** A problem of an option that is to be a function, where it is given. */
export function checkOptionalFunction(name: string, value: unknown): string[] {
  if (value === undefined || typeof value === "function") return [];
  return [`${name} is ${describeValue(value)}, expected a function`];
}

/** A problem of an option that is to be a duration above 0, where it is given. */
export function checkDuration(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  try {
    if (parseDuration(value as string) > 0) return [];
  } catch {
    // The same message serves both.
  }
  return [`${name} is ${describeValue(value)}, expected a duration above 0 such as "5m"`];
}
