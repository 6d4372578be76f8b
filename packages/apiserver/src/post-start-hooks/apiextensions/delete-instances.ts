// Deletes all custom resources of a definition, namespace by namespace as upstream does.
// Upstream: k8s.io/apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go
// (deleteInstances).
import { isObject, type Json } from "homeostat/api";
import type { LoopbackClient } from "../loopback-client.ts";
import type { Definition } from "../../kinds/apiextensions/definition/definition.ts";

/** Resolves to whether all are gone; finalizers may hold some. */
export async function deleteInstances(
  { spec, status }: Definition,
  loopback: LoopbackClient,
): Promise<boolean> {
  const plural = status.acceptedNames?.plural || spec.names?.plural;
  // Nothing need be converted in the storage version.
  const served = (spec.versions ?? []).filter((each) => each.served);
  const version = served.find((each) => each.storage) ?? served[0] ?? spec.versions?.[0];
  const base = `/apis/${spec.group}/${version?.name}`;
  const namespaces = await namespacesOf(`${base}/${plural}`, loopback);
  for (const namespace of namespaces)
    await loopback("DELETE", `${base}${namespace ? `/namespaces/${namespace}` : ""}/${plural}`);
  return namespaces.size === 0 || (await namespacesOf(`${base}/${plural}`, loopback)).size === 0;
}

/** The namespaces of the instances; "" for cluster scope. */
async function namespacesOf(path: string, loopback: LoopbackClient): Promise<ReadonlySet<string>> {
  const { status, object } = await loopback("GET", path);
  if (status >= 300)
    throw new Error(`list ${path} to delete custom resources: expected 200, got ${status}`);
  const items = Array.isArray(object["items"]) ? object["items"] : [];
  return new Set(
    items.map((item: Json) =>
      isObject(item) && isObject(item["metadata"])
        ? String(item["metadata"]["namespace"] ?? "")
        : "",
    ),
  );
}
