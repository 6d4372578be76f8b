// ServiceAccounts: a reference to a secret keeps only the name.
// Upstream: k8s.io/kubernetes/pkg/registry/core/serviceaccount/strategy.go.
import type { Decoded } from "homeostat/api";
import type { ServiceAccount } from "homeostat/k8s/core/v1";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { finalizerErrors, metadataErrors } from "../validation/validate-object.ts";
import { tokenSubresource } from "./service-account/request-token.ts";

const mountableSecrets = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccount: KindDefinition<Decoded<ServiceAccount>> = {
  ...gvk("v1", "ServiceAccount"),
  returnsDeletedObject: true,
  strategy: {
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
    validateCreate: finalizerErrors,
    validateUpdate: (object) => [
      ...finalizerErrors(object),
      ...metadataErrors(object, { namespaced: true }),
    ],
    warningsOnCreate: mountableSecretsWarnings,
    warningsOnUpdate: (object, old) =>
      hasMountableSecrets(old) ? [] : mountableSecretsWarnings(object),
  },
  ...tokenSubresource,
  cells: (object, ages) => [nameOf(object), ageOf(object, ages)],
};

function keepSecretNames(object: Decoded<ServiceAccount>): void {
  if (!object.secrets) return;
  object.secrets = object.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

const hasMountableSecrets = ({ metadata }: Decoded<ServiceAccount>): boolean =>
  Object.hasOwn(metadata?.annotations ?? {}, mountableSecrets);

function mountableSecretsWarnings(object: Decoded<ServiceAccount>): string[] {
  return hasMountableSecrets(object)
    ? [
        `metadata.annotations[${mountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
      ]
    : [];
}
