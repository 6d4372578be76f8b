// Watches as async iterables on the real kube-apiserver.
import "./client-watch.test.ts";
