// Dry runs, warnings and time limits on the real kube-apiserver.
import "./client-calls.test.ts";
