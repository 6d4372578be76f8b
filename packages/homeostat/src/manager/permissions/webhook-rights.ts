// The rights that webhooks use: to what is registered, and to the Secret with their certificates.
import { HomeostatError } from "../../util/homeostat-error.ts";
import { secretOf, writesBundles } from "../../webhook/pki/secret-of.ts";
import type { WebhooksOptions } from "../../webhook/webhooks-options.ts";
import type { Right } from "./policy-rule.ts";

/** Rights of all clusters' objects, and those of one namespace. */
export interface WebhookRights {
  readonly cluster: readonly Right[];
  /** Undefined for certificates in files. */
  readonly secret?: { readonly namespace: string; readonly rights: readonly Right[] };
}

interface Names {
  readonly operator: string | undefined;
  /** That of the client. */
  readonly namespace: string;
}

/** webhook/registration and webhook/pki. All but the creation of a Secret are limited to names. */
export function webhookRights(options: WebhooksOptions, names: Names): WebhookRights {
  const operator = names.operator ?? refuse();
  const secret = secretOf(options, { ...names, operator });
  const cluster = [
    ...configurationRights(options, options.configuration ?? operator),
    ...definitionRights(options),
  ];
  if (!secret) return { cluster };
  const { name, namespace, isOwn } = secret;
  const right = { group: "", resource: "secrets" };
  return {
    cluster,
    secret: {
      namespace,
      rights: [
        { ...right, verbs: isOwn ? ["list", "watch", "update"] : ["list", "watch"], names: [name] },
        // Sent without a name in the path, so that RBAC knows none.
        ...(isOwn ? [{ ...right, verbs: ["create"] }] : []),
      ],
    },
  };
}

/** registrar.ts. A creation by an apply has a name, which RBAC compares. */
function configurationRights(options: WebhooksOptions, name: string): readonly Right[] {
  const { serve, register = "create", url } = options;
  const verbs = [
    ...followed,
    ...(register === "create" ? ["create", "patch"] : []),
    ...(writesBundles(options) ? ["patch"] : []),
    ...(register === "create" && url !== undefined ? ["delete"] : []),
  ];
  return (["mutating", "validating"] as const)
    .filter((type) => serve.some((one) => one.type === type))
    .map((type) => ({
      group: "admissionregistration.k8s.io",
      resource: `${type}webhookconfigurations`,
      verbs,
      names: [name],
    }));
}

function definitionRights(options: WebhooksOptions): readonly Right[] {
  const { serve, register = "create" } = options;
  const conversions = serve.filter((one) => one.type === "conversion");
  if (conversions.length === 0) return [];
  const writes = register === "create" || writesBundles(options);
  const names = conversions.map(({ resource, group }) => `${resource}.${group}`);
  return [
    {
      group: "apiextensions.k8s.io",
      resource: "customresourcedefinitions",
      verbs: writes ? [...followed, "patch"] : followed,
      names: [...new Set(names)],
    },
  ];
}

const followed = ["list", "watch"];

function refuse(): never {
  throw new HomeostatError(
    "ERR_PERMISSIONS_OPERATOR",
    "listing the rights of webhooks: operator is missing",
    {
      hint: "pass the operator's name: names of the Secret and of webhook configurations are made from it",
    },
  );
}
