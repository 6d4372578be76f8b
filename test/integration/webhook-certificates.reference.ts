// The same tests on the real kube-apiserver.
import "./webhook-certificates.test.ts";
