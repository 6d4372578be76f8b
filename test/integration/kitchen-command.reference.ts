// The kitchen's dinner on the real kube-apiserver: with its kubeconfig given, the tests choose it
// by themselves.
import "./kitchen-command.test.ts";
