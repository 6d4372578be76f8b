// The frame that the approver and the signer of CertificateSigningRequests share.
// Upstream: k8s.io/kubernetes/pkg/controller/certificates/certificate_controller.go.
import { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import type {
  ControllerContext,
  RunningController,
} from "../../component-helpers/controller/controller.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";

const firstRetryMs = 200;

/** Handles one request; resolves to the milliseconds after which to handle it again, if at all. */
export type RequestHandler = (request: CertificateSigningRequest) => Promise<number | undefined>;

/** Starts a controller that handles every request that is added or updated. */
export function startCertificateController(
  context: ControllerContext,
  name: string,
  handle: RequestHandler,
): RunningController {
  const controller = new KeyedController(context, name, { firstRetryMs });
  const requests = controller.acquire(CertificateSigningRequest);
  controller.follow(requests, {
    added: ({ key }) => controller.add(key),
    updated: (_, { key }) => controller.add(key),
  });
  return controller.start(async (key) => {
    const request = requests.get({ name: key });
    return request && handle(request);
  });
}
