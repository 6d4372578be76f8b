// The same tests on a real control plane of their own, with its controller manager: it has to empty
// namespaces as we do.
import { after } from "node:test";
import { startReference } from "../../tools/reference/start-reference.ts";

const reference = await startReference({ controllers: true });
after(() => reference.stop());
process.env["HOMEOSTAT_REFERENCE_KUBECONFIG"] = reference.kubeconfigPath;
await import("./namespaces.test.ts");
