// AlwaysPullImages: every container and every image volume of a pod pulls its image at each start.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/alwayspullimages/admission.go.
import type { Decoded } from "homeostat/api";
import type { Container, Pod } from "homeostat/k8s/core/v1";
import { aggregate } from "../apimachinery/errors/aggregate.ts";
import { plainError } from "../apimachinery/errors/api-errors.ts";
import { notSupported } from "../apimachinery/errors/field-error.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { type CreatePlugin, isAbout, refuse } from "./admission-plugin.ts";

const always = "Always";
const lists = ["initContainers", "containers", "ephemeralContainers"] as const;

export const createAlwaysPullImages: CreatePlugin = () => ({
  mutate(request) {
    if (!isChecked(request)) return;
    for (const { container } of containersOf(request.object as Decoded<Pod>))
      container.imagePullPolicy = always;
    for (const { image } of (request.object as Decoded<Pod>).spec?.volumes ?? [])
      if (image) image.pullPolicy = always;
  },
  validate(request) {
    if (!isChecked(request)) return;
    const pod = request.object as Decoded<Pod>;
    const stated = [
      ...containersOf(pod).map(({ container, path }) => ({
        path: `${path}.imagePullPolicy`,
        policy: container.imagePullPolicy,
      })),
      ...(pod.spec?.volumes ?? []).flatMap(({ image }, at) =>
        image ? [{ path: `spec.volumes[${at}].image.pullPolicy`, policy: image.pullPolicy }] : [],
      ),
    ];
    const refusals = stated
      .filter(({ policy }) => policy !== always)
      .map(({ path, policy }) => {
        const { field, body } = notSupported(path, policy ?? "", [always]);
        return refuse(request, `${field}: ${body}`).message;
      });
    if (refusals.length) throw plainError(aggregate(refusals));
  },
});

/** New pods, and pods with an image that they did not have. */
function isChecked(request: AdmissionRequest): boolean {
  if (!request.object || !isAbout(request, "", "pods")) return false;
  if (request.operation !== "UPDATE") return request.operation === "CREATE";
  const imagesOf = (pod: Decoded<Pod>): readonly string[] =>
    containersOf(pod).map(({ container }) => container.image ?? "");
  const before = imagesOf(request.old as Decoded<Pod>);
  return imagesOf(request.object as Decoded<Pod>).some((image) => !before.includes(image));
}

function containersOf({
  spec,
}: Decoded<Pod>): readonly { readonly container: Decoded<Container>; readonly path: string }[] {
  return lists.flatMap((list) =>
    ((spec?.[list] ?? []) as Decoded<Container>[]).map((container, at) => ({
      container,
      path: `spec.${list}[${at}]`,
    })),
  );
}
