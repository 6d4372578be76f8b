// Discovery that changes, on the real kube-apiserver.
import "./client-discovery.test.ts";
