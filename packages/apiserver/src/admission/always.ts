// AlwaysAdmit and AlwaysDeny.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/{admit,deny}/admission.go.
import type { AdmissionStep } from "../apimachinery/rest/admission.ts";
import { type CreatePlugin, refuse } from "./admission-plugin.ts";

export const createAlwaysAdmit: CreatePlugin = () => ({});

export const createAlwaysDeny: CreatePlugin = () => ({ mutate: deny, validate: deny });

const deny: AdmissionStep = (request) => {
  throw refuse(request, "admission control is denying all modifications");
};
