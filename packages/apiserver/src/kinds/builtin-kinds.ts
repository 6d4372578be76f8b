// The records of all built-in kinds: a new kind is one line here. Discovery orders them by the kind data, not by this list.
import { lease } from "./coordination/lease.ts";
import { configMap } from "./core/config-map.ts";
import { endpoints } from "./core/endpoints.ts";
import { limitRange } from "./core/limit-range.ts";
import { namespace } from "./core/namespace.ts";
import { resourceQuota } from "./core/resource-quota.ts";
import { secret } from "./core/secret.ts";
import { serviceAccount } from "./core/service-account.ts";
import { endpointSlice } from "./discovery/endpoint-slice.ts";
import { coreEvent, event } from "./events/event.ts";
import { ingressClass } from "./networking/ingress-class.ts";
import { ingress } from "./networking/ingress.ts";
import { ipAddress } from "./networking/ip-address.ts";
import { networkPolicy } from "./networking/network-policy.ts";
import { serviceCidr } from "./networking/service-cidr.ts";
import type { BuiltinKind } from "./object/builtin-kind.ts";
import { clusterRoleBinding, roleBinding } from "./rbac/role-binding.ts";
import { clusterRole, role } from "./rbac/role.ts";

const core: readonly BuiltinKind[] = [configMap, coreEvent, endpoints, limitRange, namespace, resourceQuota, secret, serviceAccount];
const networking: readonly BuiltinKind[] = [endpointSlice, ingress, ingressClass, ipAddress, networkPolicy, serviceCidr];
const rbac: readonly BuiltinKind[] = [clusterRole, clusterRoleBinding, role, roleBinding];

/** Every record that needs nothing but the kind data; definitions of custom resources come with their controller. */
export const builtinKinds: readonly BuiltinKind[] = [...core, ...networking, ...rbac, event, lease];
