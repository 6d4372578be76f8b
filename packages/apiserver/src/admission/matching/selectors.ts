// The selectors of webhooks and policies: by the labels of the namespace, and of the object.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/{namespace,object}/matcher.go.
import { ApiStatusError, type Decoded, isObject, type JsonObject } from "homeostat/api";
import type { LabelSelector } from "homeostat/k8s/meta/v1";
import { internalError, notFoundError } from "../../apimachinery/errors/api-errors.ts";
import { metaMap } from "../../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import {
  labelSelectorAsSelector,
  type Selector,
  selectorMatches,
} from "../../kinds/validation/label-selector-as-selector.ts";
import type { StoredObjects } from "../../registry/revisions/stored-objects.ts";

/** A selector that was parsed, or why it cannot be. */
export type ParsedSelector = Selector | ApiStatusError;

/** The selectors of one webhook or policy. */
export interface MatchSelectors {
  readonly namespaceSelector: ParsedSelector;
  readonly objectSelector: ParsedSelector;
}

type SelectorField = Decoded<LabelSelector> | null | undefined;

const namespaces = { group: "", resource: "namespaces" } as const;

/** Parses both selectors, once for each state of a configuration. An absent one matches nothing. */
export const parseSelectors = (fields: {
  readonly namespaceSelector?: SelectorField;
  readonly objectSelector?: SelectorField;
}): MatchSelectors => ({
  namespaceSelector: parse(fields.namespaceSelector),
  objectSelector: parse(fields.objectSelector),
});

const parse = (selector: SelectorField): ParsedSelector =>
  labelSelectorAsSelector(selector) ??
  internalError("the selector of this configuration is not valid");

/**
 * Whether both selectors select the request. An error counts only if the request is matched
 * otherwise.
 */
export function matchSelectors(
  { namespaceSelector, objectSelector }: MatchSelectors,
  request: AdmissionRequest,
  objects: StoredObjects,
): boolean | ApiStatusError {
  const byNamespace = matchNamespace(namespaceSelector, request, objects);
  if (byNamespace === false) return false;
  const byObject = matchObject(objectSelector, request);
  if (byObject === false) return false;
  return byNamespace === true ? byObject : byNamespace;
}

/** Objects without a namespace always match; namespaces match by their own labels. */
function matchNamespace(
  selector: ParsedSelector,
  request: AdmissionRequest,
  objects: StoredObjects,
): boolean | ApiStatusError {
  if (request.namespace === "" && request.resource.resource !== "namespaces") return true;
  if (selector === "everything" || selector instanceof ApiStatusError)
    return selector === "everything" || selector;
  const { resource, subresource, operation, object } = request;
  const isWritten = operation === "CREATE" || operation === "UPDATE";
  if (resource.resource === "namespaces" && !subresource && isWritten && object)
    return selectorMatches(selector, metaMap(object, "labels"));
  const namespace = objects.find(namespaces, request.namespace);
  return namespace
    ? selectorMatches(selector, metaMap(namespace, "labels"))
    : notFoundError(namespaces, request.namespace);
}

/** One of the new and the old object has to match. */
function matchObject(
  selector: ParsedSelector,
  { object, old }: AdmissionRequest,
): boolean | ApiStatusError {
  if (selector === "everything" || selector instanceof ApiStatusError)
    return selector === "everything" || selector;
  return [object, old].some((each) => each && hasLabels(each, selector));
}

/** Objects without metadata, such as the options of a connection, match no selector. */
const hasLabels = (object: JsonObject, selector: Selector): boolean =>
  isObject(object.metadata) && selectorMatches(selector, metaMap(object, "labels"));
