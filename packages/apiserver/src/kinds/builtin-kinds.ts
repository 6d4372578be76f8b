// The records of all built-in kinds: a new kind is one line here. Discovery orders them by the kind data, not by this list.
import { lease } from "./coordination/lease.ts";
import { configMap } from "./core/config-map.ts";
import { namespace } from "./core/namespace.ts";
import { secret } from "./core/secret.ts";
import { serviceAccount } from "./core/service-account.ts";
import { coreEvent, event } from "./events/event.ts";
import type { BuiltinKind } from "./object/builtin-kind.ts";

/** Every record that needs nothing but the kind data; definitions of custom resources come with their controller. */
export const builtinKinds: readonly BuiltinKind[] = [configMap, coreEvent, namespace, secret, serviceAccount, event, lease];
