// Roles and bindings, indexed by what authorization asks: the bindings of a user, and the rules of
// a role. Changes one object at a time; knows no store.
// Upstream: k8s.io/kubernetes/pkg/registry/rbac/validation/rule.go (DefaultRuleResolver).
import { compareBytewise, type Decoded } from "homeostat/api";
import type {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from "homeostat/k8s/rbac/v1";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { UserInfo } from "../../apimachinery/user-info.ts";
import { type Rule, readRules } from "./rule.ts";

/** The role of a binding; a Role is in the namespace of the binding. */
export interface RoleReference {
  readonly kind: string;
  readonly name: string;
}

/** A binding, and the key of each of its subjects. */
export interface Binding {
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleReference;
  readonly subjects: readonly { readonly key: string; readonly text: string }[];
}

/** A binding of a user, by its first subject that is the user. */
export interface BindingOfUser {
  readonly binding: Binding;
  readonly subject: string;
}

/** The bindings of a scope by the keys of their subjects. */
type Scope = Map<string, Map<string, Binding>>;

/** Roles by `namespace/name`, and bindings by subject; cluster-wide ones have no namespace. */
export class PolicyIndex {
  readonly #roles = new Map<string, readonly Rule[]>();
  readonly #bindings = new Map<string, Binding>();
  readonly #scopes = new Map<string, Scope>();
  /** Answers of {@link bindingsOf}, until a binding changes. */
  readonly #ofUsers = new Map<string, readonly BindingOfUser[]>();

  setRole(namespace: string, name: string, role: Decoded<Role> | Decoded<ClusterRole>): void {
    this.#roles.set(`${namespace}/${name}`, readRules(role.rules));
  }

  deleteRole(namespace: string, name: string): void {
    this.#roles.delete(`${namespace}/${name}`);
  }

  setBinding(
    namespace: string,
    name: string,
    { roleRef, subjects }: Decoded<RoleBinding> | Decoded<ClusterRoleBinding>,
  ): void {
    this.deleteBinding(namespace, name);
    this.#ofUsers.clear();
    const binding: Binding = {
      namespace,
      name,
      roleRef: readRoleRef(roleRef),
      subjects: (subjects ?? []).map((subject) => readSubject(subject, namespace)),
    };
    this.#bindings.set(`${namespace}/${name}`, binding);
    const scope = valueOf(this.#scopes, namespace, () => new Map<string, Map<string, Binding>>());
    for (const { key } of binding.subjects)
      valueOf(scope, key, () => new Map<string, Binding>()).set(name, binding);
  }

  deleteBinding(namespace: string, name: string): void {
    const binding = this.#bindings.get(`${namespace}/${name}`);
    const scope = this.#scopes.get(namespace);
    if (!binding || !scope) return;
    this.#ofUsers.clear();
    this.#bindings.delete(`${namespace}/${name}`);
    for (const { key } of binding.subjects) {
      scope.get(key)?.delete(name);
      if (scope.get(key)?.size === 0) scope.delete(key);
    }
    if (scope.size === 0) this.#scopes.delete(namespace);
  }

  /** The rules of the role of a binding in `namespace`; undefined when it does not exist. */
  rulesOfRole({ kind, name }: RoleReference, namespace: string): readonly Rule[] | undefined {
    if (kind === "ClusterRole") return this.#roles.get(`/${name}`);
    return kind === "Role" && namespace ? this.#roles.get(`${namespace}/${name}`) : undefined;
  }

  /** The bindings of one namespace, or the cluster-wide ones, that name a user; by name. */
  bindingsOf(user: UserInfo, namespace: string): readonly BindingOfUser[] {
    const scope = this.#scopes.get(namespace);
    if (!scope) return [];
    const key = JSON.stringify([namespace, user.name, user.groups]);
    const known = this.#ofUsers.get(key);
    if (known) return known;
    if (this.#ofUsers.size >= rememberedAnswers) this.#ofUsers.clear();
    const found = findBindings(scope, user);
    this.#ofUsers.set(key, found);
    return found;
  }
}

const rememberedAnswers = 1000;

function findBindings(scope: Scope, user: UserInfo): readonly BindingOfUser[] {
  const keys = [userKey(user.name), ...user.groups.map(groupKey)];
  const found = keys.map((key) => scope.get(key)).filter((each) => each !== undefined);
  const bindings = new Set(found.flatMap((each) => [...each.values()]));
  return [...bindings]
    .sort((a, b) => compareBytewise(a.name, b.name))
    .map((binding) => ({
      binding,
      subject: binding.subjects.find(({ key }) => keys.includes(key))!.text,
    }));
}

const userKey = (name: string): string => `User ${name}`;
const groupKey = (name: string): string => `Group ${name}`;

/** As reasons name a subject, e.g. `User "ann"`, `ServiceAccount "ci/default"`. */
function readSubject(
  subject: Decoded<Subject>,
  bindingNamespace: string,
): { readonly key: string; readonly text: string } {
  const kind = subject.kind ?? "";
  const name = subject.name ?? "";
  const namespace = subject.namespace || bindingNamespace;
  const shown = kind === "ServiceAccount" ? `${name}/${namespace}` : name;
  return { key: keyOf(kind, name, namespace), text: `${kind} ${quoteGo(shown)}` };
}

/** "" for a subject that no user is. */
function keyOf(kind: string, name: string, namespace: string): string {
  switch (kind) {
    case "User":
      return userKey(name);
    case "Group":
      return groupKey(name);
    case "ServiceAccount":
      return namespace ? userKey(`system:serviceaccount:${namespace}:${name}`) : "";
    default:
      return "";
  }
}

const readRoleRef = (ref: Decoded<RoleRef> | null | undefined): RoleReference => ({
  kind: ref?.kind ?? "",
  name: ref?.name ?? "",
});

function valueOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
