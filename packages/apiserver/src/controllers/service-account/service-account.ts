// Ensures that every active namespace has the ServiceAccount `default`.
// Upstream: k8s.io/kubernetes/pkg/controller/serviceaccount/serviceaccounts_controller.go.
import { isAlreadyExists } from "homeostat/api";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { Start } from "../../component-helpers/controller/controller.ts";
import { isNamespaceTerminating } from "../../component-helpers/errors/terminating-namespace.ts";
import { Namespace, ServiceAccount } from "homeostat/k8s/core/v1";

const name = "default";

/** Starts `serviceaccount`. */
export const start: Start = async (context) => {
  const { client } = context;
  const controller = new KeyedController(context, "the serviceaccount controller");
  const namespaces = controller.acquire(Namespace);
  const accounts = controller.acquire(ServiceAccount);
  controller.follow(namespaces, {
    added: ({ key }) => controller.add(key),
    updated: (_, { key }) => controller.add(key),
  });
  controller.follow(accounts, { deleted: ({ namespace }) => controller.add(namespace) });
  return controller.start(async (namespace) => {
    const found: Namespace | undefined = namespaces.get({ name: namespace });
    if (found?.status.phase !== "Active" || accounts.entry(`${namespace}/${name}`))
      return undefined;
    await client
      .create(ServiceAccount, {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name, namespace },
      })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
      });
    return undefined;
  });
};
