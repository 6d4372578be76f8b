// The promised status on the real kube-apiserver: with its kubeconfig given, the tests choose it by
// themselves.
import "./promised-status.test.ts";
