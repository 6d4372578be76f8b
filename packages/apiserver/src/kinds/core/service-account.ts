// ServiceAccounts: references to secrets are reduced to names.
// Upstream: k8s.io/kubernetes/pkg/registry/core/serviceaccount/strategy.go.
import { isObject, type JsonObject } from "homeostat/api";
import type { FieldError } from "../../registry/field-error.ts";
import { validateObjectMeta } from "../../registry/object-meta/validate-object-meta.ts";
import type { WriteContext } from "../../registry/served-resource.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { nameIsDnsSubdomain } from "../object/names.ts";
import { ageOf, nameOf } from "../object/printing.ts";
import { finalizerErrors, metadataOf, objectAt } from "../object/strategy.ts";
import { checkTokenRequest, requestToken, setTokenDefaults } from "./request-token.ts";

const mountable = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccount: BuiltinKind = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  rules: {
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
