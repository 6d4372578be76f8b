// Publishes the certificate authority of the server in every namespace, as the ConfigMap
// `kube-root-ca.crt`. Idle without an authority, as upstream's publisher is without
// `--root-ca-file`.
// Upstream: k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher/publisher.go.
import { isNotFound, type Metadata } from "homeostat/api";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { Start } from "../../../component-helpers/controller/controller.ts";
import { isNamespaceTerminating } from "../../../component-helpers/errors/terminating-namespace.ts";
import { ConfigMap, Namespace } from "homeostat/k8s/core/v1";

const name = "kube-root-ca.crt";
const annotation = "kubernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. " +
  "No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Starts `root-ca-certificate-publisher`. */
export const start: Start = async (context) => {
  const { client, rootCa: certificate } = context;
  if (certificate === undefined) return { stop: async () => {} };
  const controller = new KeyedController(context, "the root-ca-certificate-publisher controller");
  const namespaces = controller.acquire(Namespace);
  const maps = controller.acquire(ConfigMap);
  controller.follow(namespaces, {
    added: ({ key }) => controller.add(key),
    updated: (_, object) =>
      void (object.read().status.phase === "Active" && controller.add(object.key)),
  });
  const changed = (object: { readonly name: string; readonly namespace: string }): void =>
    void (object.name === name && controller.add(object.namespace));
  controller.follow(maps, { updated: (_, object) => changed(object), deleted: changed });
  return controller.start(async (namespace) => {
    const found = maps.get({ name, namespace });
    const next = publish(found, certificate);
    if (!next) return undefined;
    const { data, annotations } = next;
    if (found)
      await client.update(ConfigMap, {
        ...found,
        metadata: { ...found.metadata, annotations },
        data,
      });
    else
      await client
        .create(ConfigMap, ConfigMap({ name, namespace, annotations }, { data }))
        .catch(unlessNamespaceIsGone);
    return undefined;
  });
};

/** The content that the config map should have; undefined when it has it. */
export function publish(
  found:
    | (Pick<ConfigMap, "data"> & { readonly metadata: Pick<Metadata, "annotations"> })
    | undefined,
  certificate: string,
):
  | {
      readonly annotations: Readonly<Record<string, string>>;
      readonly data: Readonly<Record<string, string>>;
    }
  | undefined {
  const { data = {}, metadata: { annotations = {} } = {} } = found ?? {};
  const isPublished =
    Object.keys(data).length === 1 &&
    data["ca.crt"] === certificate &&
    Boolean(annotations[annotation]);
  if (isPublished) return undefined;
  return {
    annotations: { ...annotations, [annotation]: description },
    data: { "ca.crt": certificate },
  };
}

function unlessNamespaceIsGone(error: unknown): void {
  if (!isNotFound(error) && !isNamespaceTerminating(error)) throw error;
}
