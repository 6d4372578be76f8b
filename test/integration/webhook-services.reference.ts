// The same tests on the real kube-apiserver: with its kubeconfig given, they choose it by
// themselves.
import "./webhook-services.test.ts";
