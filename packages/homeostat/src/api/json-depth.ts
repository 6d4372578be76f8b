// Values that users pass for JSON and that have no end: cycles, and proxies that make members as
// they are read.
import { deepestJson } from "./json.ts";

/** A value that holds others, and those of its members that are still to be visited. */
interface Level {
  readonly holder: object;
  readonly members: readonly unknown[];
  next: number;
}

/**
 * Why a value is not the beginning of finite JSON, e.g. `contains itself`; undefined for one that
 * is. Visits one member after the other, so that the first endless path is found.
 */
export function jsonDepthFault(value: unknown): string | undefined {
  const path: Level[] = [];
  const holders = new Set<object>();
  const enter = (holder: object): void => {
    path.push({ holder, members: Object.values(holder), next: 0 });
    holders.add(holder);
  };
  if (!isHolder(value)) return undefined;
  enter(value);
  for (let level = path.at(-1); level; level = path.at(-1)) {
    const member = level.members[level.next++];
    if (isHolder(member)) {
      if (holders.has(member)) return "contains itself";
      if (path.length === deepestJson) return `is deeper than ${deepestJson} levels`;
      enter(member);
    } else if (level.next >= level.members.length) {
      holders.delete(level.holder);
      path.pop();
    }
  }
  return undefined;
}

const isHolder = (value: unknown): value is object => typeof value === "object" && value !== null;
