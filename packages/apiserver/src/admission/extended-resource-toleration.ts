// ExtendedResourceToleration: a pod that requests an extended resource tolerates the taint of that
// name.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration/admission.go,
// pkg/apis/core/helper/helpers.go (AddOrUpdateTolerationInPod).
import { compareBytewise, type Decoded } from "homeostat/api";
import type { Pod, Toleration } from "homeostat/k8s/core/v1";
import { isSet } from "../apimachinery/meta/read-fields.ts";
import { isExtendedResource } from "../kinds/core/resources/resource-names.ts";
import { type CreatePlugin, isAbout } from "./admission-plugin.ts";

export const createExtendedResourceToleration: CreatePlugin = () => ({
  mutate(request) {
    if (!request.object || request.operation === "CONNECT" || !isAbout(request, "", "pods")) return;
    const spec = ((request.object as Decoded<Pod>).spec ??= {});
    const names = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
      .flatMap(({ resources }) => Object.keys(resources?.requests ?? {}))
      .filter(isExtendedResource);
    for (const key of [...new Set(names)].toSorted(compareBytewise)) {
      const wanted = { key, operator: "Exists", effect: "NoSchedule" } as const;
      const given = spec.tolerations ?? [];
      spec.tolerations = given.some((each) => isAlike(each, wanted))
        ? given.map((each) =>
            isAlike(each, wanted) && isSet(each.tolerationSeconds) ? { ...wanted } : each,
          )
        : [...given, { ...wanted }];
    }
  },
});

const isAlike = (toleration: Decoded<Toleration>, wanted: Decoded<Toleration>): boolean =>
  toleration.key === wanted.key &&
  toleration.operator === wanted.operator &&
  toleration.effect === wanted.effect &&
  !toleration.value;
