// ServiceAccounts: references to secrets are reduced to names.
// Upstream: k8s.io/kubernetes/pkg/registry/core/serviceaccount/strategy.go.
import { isObject, type JsonObject } from "homeostat/api";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { finalizerErrors } from "../definition/default-strategy.ts";
import { objectAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { checkTokenRequest, requestToken, setTokenDefaults } from "./request-token.ts";

const mountable = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccount: KindDefinition = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  returnsDeletedObject: true,
  strategy: {
    deleteReturnsObject: true,
    prepareForCreate: reduceSecrets,
    prepareForUpdate: reduceSecrets,
    validateCreate: (object, context) =>
      warned(object, undefined, context, finalizerErrors(object)),
    validateUpdate: (object, old, context) =>
      warned(object, old, context, [
        ...finalizerErrors(object),
        ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
        ...finalizerErrors(object),
      ]),
  },
  connect: { token: requestToken },
  connectChecks: { token: checkTokenRequest },
  connectDefaults: { token: setTokenDefaults },
  cells: (object, nowMs) => [nameOf(object), ageOf(object, nowMs)],
};

function reduceSecrets(object: JsonObject): void {
  const secrets = object["secrets"];
  if (!Array.isArray(secrets)) return;
  object["secrets"] = secrets.map((item) =>
    isObject(item) && item["name"] !== undefined ? { name: item["name"] } : {},
  );
}

function warned(
  object: JsonObject,
  old: JsonObject | undefined,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  const has = (each: JsonObject): boolean =>
    Object.hasOwn(objectAt(metadataOf(each), "annotations"), mountable);
  if (!errors.length && has(object) && !(old && has(old)))
    context.warn(
      `metadata.annotations[${mountable}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
    );
  return errors;
}
