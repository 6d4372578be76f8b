// The same tests on the real kube-apiserver: with its kubeconfig given, they choose it by
// themselves.
import "./controllers-deadlines-and-shutdown.test.ts";
import "./controllers-mistakes.test.ts";
import "./controllers-owned-objects.test.ts";
import "./controllers-status-and-finalizers.test.ts";
import "./controllers-turns.test.ts";
