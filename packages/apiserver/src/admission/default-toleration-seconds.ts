// DefaultTolerationSeconds: a pod that says nothing about nodes that are not ready or not reachable
// leaves them after five minutes.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds/admission.go.
import { itemsAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { isAbout, type CreatePlugin } from "./admission-plugin.ts";
import { append, specOf } from "./spec-of.ts";

const taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const seconds = 300;

export const createDefaultTolerationSeconds: CreatePlugin = () => ({
  mutate(request) {
    const { object, operation } = request;
    if (
      !object ||
      !isAbout(request, "", "pods") ||
      (operation !== "CREATE" && operation !== "UPDATE")
    )
      return;
    const spec = specOf(object);
    const given = itemsAt(spec, "tolerations");
    for (const key of taints) {
      const isTolerated = given.some(
        (each) =>
          ["", key].includes(stringAt(each, "key")) &&
          ["", "NoExecute"].includes(stringAt(each, "effect")),
      );
      if (!isTolerated)
        append(spec, "tolerations", {
          key,
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: seconds,
        });
    }
  },
});
