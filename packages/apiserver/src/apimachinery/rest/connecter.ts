// Handlers of subresources that do more than read or write their parent.
// Upstream: k8s.io/apiserver/pkg/registry/rest/rest.go (Connecter, NamedCreater).
import type { JsonObject } from "homeostat/api";
import type { AdmissionAudit } from "../audit.ts";
import type { DeleteOptions } from "./delete-options.ts";
import type { TokenIssuer } from "./token-issuer.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * What a handler may do beyond reading the parent; registry/handlers/connect-tools.ts implements
 * it. Other kinds are looked up in the parent's namespace.
 */
export interface ConnectTools {
  /** The first value of a query parameter. */
  query(field: string): string | undefined;
  /** A query parameter as a 64-bit integer. Throws 400 for other values. */
  integer(field: string): number | undefined;
  /**
   * Changes the parent as the server itself, without strategy and field ownership. `change` may be
   * called again and may throw to refuse.
   */
  overwrite(
    change: (object: JsonObject) => void,
    options: { readonly dryRun: boolean; readonly uid?: string },
  ): Promise<void>;
  /**
   * Changes the status of another object, in its storage version; the server becomes the manager
   * of the changed fields.
   */
  overwriteOther(
    kind: { readonly group: string; readonly resource: string },
    name: string,
    change: (object: JsonObject) => void,
    options: { readonly dryRun: boolean },
  ): Promise<void>;
  /** Deletes the parent as a DELETE request would that is not admitted. */
  remove(options: DeleteOptions): Promise<void>;
  list(kind: { readonly group: string; readonly resource: string }): readonly JsonObject[];
  find(
    kind: { readonly group: string; readonly resource: string },
    name: string,
  ): JsonObject | undefined;
  /** Undefined for a request that is not audited. */
  readonly audit?: AdmissionAudit | undefined;
  /** Signs tokens of service accounts. */
  readonly tokens: TokenIssuer;
  newUid(): string;
}

/** An object, or plain text where upstream streams one. */
export type ConnectResponse =
  | { readonly status: number; readonly object: JsonObject }
  | { readonly status: number; readonly text: string };

/** Handles a request to a subresource that connects; resolves to the response. */
export type ConnectHandler = (
  parent: JsonObject,
  body: JsonObject,
  context: WriteContext,
  tools: ConnectTools,
) => Promise<ConnectResponse>;

/**
 * Checks a body before the parent is looked up. Throws an ApiStatusError.
 */
export type ConnectCheck = (
  body: JsonObject,
  request: { readonly name: string; readonly namespace: string; readonly dryRun: boolean },
) => void;

/**
 * Completes a body from its parent, for validating admission to see. Throws an ApiStatusError for
 * an invalid one.
 */
export type ConnectCompletion = (
  body: JsonObject,
  parent: JsonObject,
  context: WriteContext,
  tools: ConnectTools,
) => void;

/**
 * Passes a request of any method and any path on to `requested`: `name`, `name:port` or
 * `scheme:name:port`. Throws an ApiStatusError if the target cannot be reached.
 */
export type ProxyHandler = (requested: string, tools: ConnectTools) => Promise<ConnectResponse>;
