// Manifests of an operator with webhooks on the real kube-apiserver.
import "./generate-webhooks.test.ts";
