// Sees to it that every active namespace has the service account `default`.
// Upstream: k8s.io/kubernetes/pkg/controller/serviceaccount/serviceaccounts_controller.go.
import { isAlreadyExists } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { ControllerDescriptor } from "../../component-helpers/controller/controller.ts";
import { isNamespaceTerminating } from "../../component-helpers/controller/terminating-namespace.ts";
import {
  type Namespace,
  namespaceKind,
} from "../../component-helpers/workloads/workload-objects.ts";

const serviceAccounts = dynamicKind({
  apiVersion: "v1",
  kind: "ServiceAccount",
  resource: "serviceaccounts",
  scope: "Namespaced",
});
const name = "default";

/** Starts the controller of service accounts. */
export const startServiceAccounts: ControllerDescriptor["start"] = async (context) => {
  const { client } = context;
  const controller = new KeyedController(context, "the service account controller");
  const namespaces = controller.acquire(namespaceKind);
  const accounts = controller.acquire(serviceAccounts);
  controller.follow(namespaces, {
    added: ({ key }) => controller.add(key),
    updated: (_, { key }) => controller.add(key),
  });
  controller.follow(accounts, { deleted: ({ namespace }) => controller.add(namespace) });
  return controller.start(async (namespace) => {
    const found: Namespace | undefined = namespaces.get({ name: namespace });
    if (found?.status?.phase !== "Active" || accounts.entry(`${namespace}/${name}`))
      return undefined;
    await client
      .create(serviceAccounts, {
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
