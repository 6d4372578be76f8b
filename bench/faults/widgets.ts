// The kind and the controller of the measurement: a widget owns a ConfigMap and a Secret with its
// value, and says which value it has seen. Three watches, and one for each further kind.
import { all, type Controller, defineController, defineResource } from "homeostat";
import { ConfigMap, Secret } from "homeostat/k8s/core/v1";
import * as z from "zod";

export const Widget = defineResource({
  group: "faults.example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({ value: z.int() }),
  status: z.object({ seen: z.int() }),
});

/** So many kinds without objects. */
export const furtherKinds = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    defineResource({
      group: "faults.example.com",
      version: "v1",
      kind: `Further${i}`,
      spec: z.object({}),
    }),
  );

/** The controller; it watches so many further kinds. */
export const widgets = (further = 0): Controller =>
  defineController(Widget, {
    name: "widgets",
    owns: [ConfigMap, Secret],
    watches: Object.fromEntries(furtherKinds(further).map((kind) => [kind.kind, all(kind)])),
    async reconcile({ object: { metadata, spec }, own, status }) {
      const value = String(spec.value);
      const named = { name: metadata.name };
      await own(ConfigMap, [
        { apiVersion: "v1", kind: "ConfigMap", metadata: named, data: { value } },
      ]);
      await own(Secret, [{ apiVersion: "v1", kind: "Secret", metadata: named, data: {} }]);
      status({ seen: spec.value });
    },
  });
