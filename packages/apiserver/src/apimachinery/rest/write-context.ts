// What a strategy knows about the request behind a write. Only preparation can warn.
// Upstream: k8s.io/apiserver/pkg/endpoints/request/context.go, pkg/warning/context.go.
import type { JsonObject } from "homeostat/api";
import type { UserInfo } from "../user-info.ts";
import type { EmptiedMember } from "./version-codec.ts";

/** The request behind a write, as validation sees it. */
export interface ValidationContext {
  readonly user: string;
  /** Groups, uid and more about `user`. */
  readonly caller?: UserInfo;
  readonly dryRun: boolean;
  readonly subresource: string;
  /** RFC 3339, second precision, e.g. `2026-11-21T10:00:00Z`: the time of this request. */
  readonly now: string;
  /** What the body of the request has empty, for messages that print values. */
  readonly emptied?: readonly EmptiedMember[] | undefined;
  /**
   * Another stored object, in the namespace of the request if its kind is namespaced. Absent in a
   * context without a store.
   */
  readonly find?: (
    kind: { readonly group: string; readonly resource: string },
    name: string,
  ) => JsonObject | undefined;
}

/** The request behind a write, as preparation, subresources and the registry see it. */
export interface WriteContext extends ValidationContext {
  /**
   * Collects `Warning: 299` texts, which are sent even when the write is refused; duplicates are
   * sent once.
   */
  warn(text: string): void;
  /** Absent in a context without a server. */
  readonly newUid?: () => string;
}
