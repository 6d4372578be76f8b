// Lets the API server decide who may read: a TokenReview says who asks, a SubjectAccessReview
// whether they may `get` the path. Answers are kept as long as controller-runtime keeps them.
// Tokens and questions are kept as hashes.
// Upstream: sigs.k8s.io/controller-runtime@v0.24.1 pkg/metrics/filters/filters.go,
// k8s.io/apiserver/pkg/authentication/authenticatorfactory/delegating.go. Differs in one answer: an
// invalid token is 401 here, and an error (500) there.
import type { Client } from "../../client/client.ts";
import type { UserInfo } from "../../k8s/authentication/v1/models.ts";
import type { Clock } from "../../runtime/clock.ts";
import { describeError } from "../../util/describe-error.ts";
import type { Log } from "../../util/guard-log.ts";
import { ExpiringAnswers } from "./expiring-answers.ts";
import {
  notFoundAnswer,
  type PortAnswer,
  type PortHandler,
  type PortRequest,
} from "./http-port.ts";
import { createViewers } from "./object-viewers.ts";
import { hash, reviewAccess, reviewToken } from "./reviews.ts";

const longestPath = 4096;

/** Where reviews are sent. */
export interface DelegatedAccessOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  /** False for paths that the handler does not know: nothing is asked about them. */
  knows(path: string): boolean;
}

/** The handler for those that may. */
export function withDelegatedAccess(
  handler: PortHandler,
  { client, clock, log, knows }: DelegatedAccessOptions,
): PortHandler {
  const users = new ExpiringAnswers<UserInfo | undefined>(clock);
  const verdicts = new ExpiringAnswers<boolean>(clock);
  const viewerOf = createViewers({ client, clock, log });
  return async (request) => {
    if (request.path.length > longestPath || !knows(request.path)) return notFoundAnswer;
    const token = bearerToken(request);
    if (token === undefined) return unauthorized;
    let user: UserInfo | undefined;
    try {
      user = await users.get(hash(token), () => reviewToken(client, token));
    } catch (error) {
      log.error(`authenticating a reader of ${request.path}: ${describeError(error)}`, { error });
      return { status: 500, body: "Authentication failed\n" };
    }
    if (!user) return unauthorized;
    return (await refusal(user, request)) ?? handler({ ...request, viewer: viewerOf(user) });
  };

  async function refusal(user: UserInfo, request: PortRequest): Promise<PortAnswer | undefined> {
    const { path } = request;
    const verb = request.method.toLowerCase();
    const name = user.username ?? "";
    try {
      const question = JSON.stringify([user, verb, path]);
      const isAllowed = await verdicts.get(hash(question), () =>
        reviewAccess(client, user, { nonResourceAttributes: { verb, path } }),
      );
      if (isAllowed) return undefined;
      return { status: 403, body: `Authorization denied for user ${name}\n` };
    } catch (error) {
      log.error(`authorizing ${name} to ${verb} ${path}: ${describeError(error)}`, { error });
      return { status: 500, body: `Authorization for user ${name} failed\n` };
    }
  }
}

const unauthorized: PortAnswer = { status: 401, body: "Unauthorized\n" };

function bearerToken({ headers }: PortRequest): string | undefined {
  const { authorization } = headers;
  if (typeof authorization !== "string") return undefined;
  return /^bearer +(\S+)$/i.exec(authorization.trim())?.[1];
}
