// The Status errors of a server, with upstream's exact messages.
// Upstream: k8s.io/apimachinery/pkg/api/errors/errors.go.
import { ApiStatusError, type Status, type StatusDetails } from "homeostat/api";
import { aggregate, formatFieldError } from "./aggregate.ts";
import { type FieldError, quoteGo, toCause } from "./field-error.ts";

/** Group and resource as error messages name them, e.g. `deployments.apps`, `configmaps`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `orders.kitchen.example.com`, or `configmaps` in the legacy group. */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group ? `${resource}.${group}` : resource;
}

/** A failure Status as an error to throw. */
export function failure(
  code: number,
  reason: string,
  message: string,
  details?: StatusDetails,
): ApiStatusError {
  return new ApiStatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason ? { reason } : {}),
    ...(details ? { details } : {}),
    code,
  } as Status);
}

/** `pods "a"` */
const formatObject = (gr: GroupResource, name: string): string =>
  `${formatGroupResource(gr)} ${quoteGo(name)}`;

const named = (gr: GroupResource, name: string): StatusDetails => ({
  ...(name ? { name } : {}),
  ...(gr.group ? { group: gr.group } : {}),
  ...(gr.resource ? { kind: gr.resource } : {}),
});

/** 404. */
export const notFoundError = (gr: GroupResource, name: string): ApiStatusError =>
  failure(404, "NotFound", `${formatObject(gr, name)} not found`, named(gr, name));
/** 409 on create. */
export const alreadyExistsError = (gr: GroupResource, name: string): ApiStatusError =>
  failure(409, "AlreadyExists", `${formatObject(gr, name)} already exists`, named(gr, name));
/** 409 on update; `why` is upstream's inner error. */
export const conflictError = (gr: GroupResource, name: string, why: string): ApiStatusError =>
  failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${formatObject(gr, name)}: ${why}`,
    named(gr, name),
  );
/**
 * 409 for an object that has changed since it was read.
 * Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go (OptimisticLockErrorMsg).
 */
export const optimisticLockError = (gr: GroupResource, name: string): ApiStatusError =>
  conflictError(
    gr,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
/** 403. */
export const forbiddenError = (gr: GroupResource, name: string, why: string): ApiStatusError =>
  failure(
    403,
    "Forbidden",
    `${name ? formatObject(gr, name) : formatGroupResource(gr)} is forbidden: ${why}`,
    named(gr, name),
  );
/** 400. */
export const badRequestError = (message: string): ApiStatusError =>
  failure(400, "BadRequest", message);
/** 500 with upstream's prefix. */
export const internalError = (message: string): ApiStatusError =>
  failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
/** 500 as upstream gives for an error that is not a Status: no reason, the bare message. */
export const plainError = (message: string): ApiStatusError => failure(500, "", message);
/** 405. */
export const methodNotAllowedError = (gr: GroupResource, action: string): ApiStatusError =>
  failure(
    405,
    "MethodNotAllowed",
    `${action} is not supported on resources of kind "${formatGroupResource(gr)}"`,
    named(gr, ""),
  );
/** 410. */
export const expiredError = (message: string): ApiStatusError => failure(410, "Expired", message);
/** 404 for a path that no handler serves. */
export const genericNotFoundError = (): ApiStatusError =>
  failure(404, "NotFound", "the server could not find the requested resource", {});

/**
 * 422: every field error as a cause; identical causes are sent once each, as upstream's aggregate
 * does in the message.
 */
export function invalidError(
  gk: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiStatusError {
  const list = aggregate(errors.map(formatFieldError));
  const kind = gk.group ? `${gk.kind}.${gk.group}` : gk.kind;
  const message = errors.length
    ? `${kind} ${quoteGo(name)} is invalid: ${list}`
    : `${kind} ${quoteGo(name)} is invalid`;
  return failure(422, "Invalid", message, {
    ...(name ? { name } : {}),
    ...(gk.group ? { group: gk.group } : {}),
    ...(gk.kind ? { kind: gk.kind } : {}),
    ...(errors.length ? { causes: errors.map(toCause) } : {}),
  });
}
