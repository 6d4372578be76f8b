// Lets the API server decide which objects a reader of introspection sees: those that they may
// `get`, by resource and namespace.
import type { Client } from "../../client/client.ts";
import type { UserInfo } from "../../k8s/authentication/v1/models.ts";
import type { ResourceAttributes } from "../../k8s/authorization/v1/models.ts";
import type { Clock } from "../../runtime/clock.ts";
import { describeError } from "../../util/describe-error.ts";
import type { Log } from "../../util/guard-log.ts";
import type { Viewer } from "../introspection/viewer.ts";
import { ExpiringAnswers } from "./expiring-answers.ts";
import { hash, reviewAccess } from "./reviews.ts";

/** What a user sees; answers of the API server are kept for all users together. */
export function createViewers({
  client,
  clock,
  log,
}: {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
}): (user: UserInfo) => Viewer {
  // Not those on paths: questions about many namespaces push out no verdict on a path.
  const verdicts = new ExpiringAnswers<boolean>(clock);
  const may = async (user: UserInfo, attributes: ResourceAttributes): Promise<boolean> => {
    const resourceAttributes = { verb: "get", ...attributes };
    try {
      return await verdicts.get(hash(JSON.stringify([user, attributes])), () =>
        reviewAccess(client, user, { resourceAttributes }),
      );
    } catch (error) {
      const { resource, namespace = "" } = attributes;
      const what = `get ${resource} in "${namespace}"`;
      log.error(`authorizing ${user.username} to ${what}: ${describeError(error)}`, { error });
      return false;
    }
  };
  return (user) => ({
    /** A right in all namespaces is asked about first: it answers for each of them. */
    async mayGet({ group, resource, namespace }, name) {
      const all = { group, resource };
      if (await may(user, all)) return true;
      const within = namespace === undefined ? all : { ...all, namespace };
      if (namespace !== undefined && (await may(user, within))) return true;
      return name !== undefined && may(user, { ...within, name });
    },
  });
}
