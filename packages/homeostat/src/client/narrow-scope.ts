// What a derived client changes of the client that it comes from. Pure.
import type { ClientScope, CompletedWrite } from "./client.ts";
import { impersonationHeaders } from "./impersonation.ts";
import type { SessionScope } from "./session-options.ts";

/** What distinguishes clients of one session. */
export interface Scope extends SessionScope {
  readonly fieldManager: string | undefined;
  readonly namespace: string;
  /** Writes store nothing. */
  readonly dryRun: "All" | undefined;
  readonly written: readonly ((write: CompletedWrite) => void)[];
  readonly requested: readonly ((answered: Promise<unknown>) => void)[];
}

/** Scopes nest: signals and observers add up, everything else is replaced. */
export function narrowScope(scope: Scope, given: ClientScope): Scope {
  return {
    fieldManager: given.fieldManager ?? scope.fieldManager,
    userAgent: given.userAgent ?? scope.userAgent,
    namespace: given.namespace ?? scope.namespace,
    impersonation: given.impersonate
      ? impersonationHeaders(given.impersonate)
      : scope.impersonation,
    dryRun: given.dryRun ?? scope.dryRun,
    signals: withOne(scope.signals, given.signal),
    written: withOne(scope.written, given.written),
    requested: withOne(scope.requested, given.requested),
    warned: withOne(scope.warned, given.warned),
    answered: withOne(scope.answered, given.answered),
    fences: withOne(scope.fences, given.fence),
    isUrgent: given.urgent ?? scope.isUrgent,
  };
}

const withOne = <T>(all: readonly T[], one: T | undefined): readonly T[] =>
  one === undefined ? all : [...all, one];
