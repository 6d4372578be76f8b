// Publishes the certificate by which the server is known, in every namespace, as the config map
// `kube-root-ca.crt`. Without a certificate (a server that listens nowhere, or without TLS) there
// is nothing to publish, and it stays idle as upstream's does without `--root-ca-file`.
// Upstream: k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher/publisher.go.
import { isNotFound } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { ControllerDescriptor } from "../../../component-helpers/controller/controller.ts";
import { isNamespaceTerminating } from "../../../component-helpers/controller/terminating-namespace.ts";
import { namespaceKind } from "../../../component-helpers/workloads/workload-objects.ts";

const configMaps = dynamicKind({
  apiVersion: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  scope: "Namespaced",
});
const name = "kube-root-ca.crt";
const annotation = "kubernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. " +
  "No other usage is guaranteed across distributions of Kubernetes clusters.";

interface ConfigMap {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}

/** Starts the publisher. */
export const startRootCa: ControllerDescriptor["start"] = async (context) => {
  const { client, rootCa: certificate } = context;
  if (certificate === undefined) return { stop: async () => {} };
  const controller = new KeyedController(context, "the publisher of the root certificate");
  const namespaces = controller.acquire(namespaceKind);
  const maps = controller.acquire(configMaps);
  controller.follow(namespaces, {
    added: ({ key }) => controller.add(key),
    updated: (_, object) =>
      void (object.read().status?.phase === "Active" && controller.add(object.key)),
  });
  const changed = (object: { readonly name: string; readonly namespace: string }): void =>
    void (object.name === name && controller.add(object.namespace));
  controller.follow(maps, { updated: (_, object) => changed(object), deleted: changed });
  return controller.start(async (namespace) => {
    const found = maps.get({ name, namespace }) as
      | (ConfigMap & { readonly metadata: object })
      | undefined;
    const next = publish(found, certificate);
    if (!next) return undefined;
    const map = {
      apiVersion: "v1",
      kind: "ConfigMap",
      ...next,
      metadata: { ...next.metadata, name, namespace },
    };
    if (found) await client.update(configMaps, map);
    else await client.create(configMaps, map).catch(unlessNamespaceIsGone);
    return undefined;
  });
};

/** The config map as it ought to be, or undefined when it is. */
export function publish(found: ConfigMap | undefined, certificate: string): ConfigMap | undefined {
  const keys = Object.keys(found?.data ?? {});
  const asItOught =
    keys.length === 1 &&
    found?.data?.["ca.crt"] === certificate &&
    Boolean(found.metadata.annotations?.[annotation]);
  if (asItOught) return undefined;
  return {
    ...found,
    metadata: {
      ...found?.metadata,
      annotations: { ...found?.metadata.annotations, [annotation]: description },
    },
    data: { "ca.crt": certificate },
  };
}

function unlessNamespaceIsGone(error: unknown): void {
  if (!isNotFound(error) && !isNamespaceTerminating(error)) throw error;
}
