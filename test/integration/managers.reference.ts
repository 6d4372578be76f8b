// The same tests on the real kube-apiserver: with its kubeconfig given, they choose it by
// themselves.
import "./manager-blind.test.ts";
import "./manager-dashboards.test.ts";
import "./manager-introspection.test.ts";
import "./manager-introspection-access.test.ts";
import "./manager-introspection-history.test.ts";
import "./manager-introspection-stream.test.ts";
import "./manager-left-out.test.ts";
import "./manager-life-cycle.test.ts";
import "./manager-metrics.test.ts";
import "./manager-ports.test.ts";
import "./manager-shutdown.test.ts";
import "./manager-start-order.test.ts";
import "./manager-tracing.test.ts";
import "./manager-voice.test.ts";
import "./webhooks.test.ts";
