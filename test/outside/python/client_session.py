"""The official Python client: typed, custom and dynamic objects, patches, watches, pages, refusals."""
import json
import threading

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException

from cases import Session, definition, within

config.load_kube_config()
session = Session()
core = client.CoreV1Api()
apps = client.AppsV1Api()
custom = client.CustomObjectsApi()
extensions = client.ApiextensionsV1Api()
space = core.create_namespace({"metadata": {"generateName": "outside-"}}).metadata.name
GROUP = "outside.example.com"


def refused(function):
    try:
        function()
    except ApiException as error:
        status = json.loads(error.body)
        return f"{error.status} {status['reason']} {status['message']}"
    raise AssertionError("accepted, and a refusal was expected")


def gone():
    try:
        custom.list_namespaced_custom_object(GROUP, "v1", space, "pies")
        return False
    except ApiException as error:
        return error.status == 404


@session.case("version and API groups")
def _():
    groups = sorted(group.name for group in client.ApisApi().get_api_versions().groups)
    return client.VersionApi().get_code().minor, "apps" in groups, "coordination.k8s.io" in groups


@session.case("a config map is created, read, replaced, listed")
def _():
    made = core.create_namespaced_config_map(space, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="one", labels={"a": "b"}), data={"k": "v"}))
    made.data["k"] = "w"
    replaced = core.replace_namespaced_config_map("one", space, made)
    read = core.read_namespaced_config_map("one", space)
    found = core.list_namespaced_config_map(space, label_selector="a=b,!c", field_selector="metadata.name=one")
    return read.data, replaced.metadata.resource_version != made.metadata.resource_version, len(found.items)


@session.case("patches: strategic, merge, JSON")
def _():
    strategic = core.patch_namespaced_config_map("one", space, {"data": {"s": "1"}})
    merge = core.patch_namespaced_config_map("one", space, {"data": {"k": None, "m": "2"}}, _content_type="application/merge-patch+json")
    as_json = core.patch_namespaced_config_map("one", space, [{"op": "replace", "path": "/data/m", "value": "3"}])
    return strategic.data, merge.data, as_json.data


@session.case("server-side apply, and its conflict")
def _():
    def apply(manager, value, **more):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"k": value}}
        return core.patch_namespaced_config_map("applied", space, body, field_manager=manager, _content_type="application/apply-patch+yaml", **more)

    apply("first", "1")
    conflict = refused(lambda: apply("second", "2"))
    return conflict, apply("second", "2", force=True).data


@session.case("refusals: not found, exists, stale, invalid, wrong")
def _():
    stale = core.read_namespaced_config_map("one", space)
    core.patch_namespaced_config_map("one", space, {"metadata": {"labels": {"touched": "yes"}}})
    return [
        refused(lambda: core.read_namespaced_config_map("nobody", space)),
        refused(lambda: core.create_namespaced_config_map(space, {"metadata": {"name": "one"}})),
        refused(lambda: core.replace_namespaced_config_map("one", space, stale)),
        refused(lambda: core.create_namespaced_config_map(space, {"metadata": {"name": "Bad_Name"}})),
        refused(lambda: core.create_namespaced_config_map("nowhere", {"metadata": {"name": "x"}})),
    ]


@session.case("a watch sees what happens, in order")
def _():
    version = core.list_namespaced_config_map(space).metadata.resource_version

    def act():
        core.create_namespaced_config_map(space, {"metadata": {"name": "seen"}})
        core.patch_namespaced_config_map("seen", space, {"data": {"k": "v"}})
        core.delete_namespaced_config_map("seen", space)

    threading.Timer(0.3, act).start()
    events = []
    for event in watch.Watch().stream(core.list_namespaced_config_map, space, resource_version=version, timeout_seconds=10):
        events.append((event["type"], event["object"].metadata.name, event["object"].data))
        if event["type"] == "DELETED":
            return events


@session.case("a list comes in pages")
def _():
    for i in range(5):
        core.create_namespaced_secret(space, {"metadata": {"name": f"page-{i}"}, "stringData": {"k": str(i)}})
    names, token = [], None
    while True:
        page = core.list_namespaced_secret(space, limit=2, _continue=token)
        names.append([item.metadata.name for item in page.items])
        token = page.metadata._continue
        if not token:
            return names


@session.case("deployments have defaults, status and scale")
def _():
    made = apps.create_namespaced_deployment(
        space,
        {
            "metadata": {"name": "web"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}},
        },
    )
    scaled = apps.patch_namespaced_deployment_scale("web", space, {"spec": {"replicas": 3}})
    status = apps.patch_namespaced_deployment_status("web", space, {"status": {"replicas": 2}})
    return made.spec.replicas, made.spec.strategy.type, made.spec.template.spec.restart_policy, scaled.spec.replicas, status.status.replicas


@session.case("a definition, its objects, their status and rules")
def _():
    extensions.create_custom_resource_definition(definition("pies", "Pie", subresources={"status": {}}))
    within(10, lambda: any(c.type == "Established" and c.status == "True" for c in extensions.read_custom_resource_definition(f"pies.{GROUP}").status.conditions or []))
    pie = {"apiVersion": f"{GROUP}/v1", "kind": "Pie", "metadata": {"name": "apple"}, "spec": {"size": 2, "unknown": True}}
    made = custom.create_namespaced_custom_object(GROUP, "v1", space, "pies", pie)
    patched = custom.patch_namespaced_custom_object(GROUP, "v1", space, "pies", "apple", {"spec": {"size": 3}})
    status = custom.patch_namespaced_custom_object_status(GROUP, "v1", space, "pies", "apple", {"status": {"baked": True}, "spec": {"size": 9}})
    bad = refused(lambda: custom.create_namespaced_custom_object(GROUP, "v1", space, "pies", {**pie, "metadata": {"name": "bad"}, "spec": {"size": 0}}))
    return made["spec"], patched["spec"], patched["metadata"]["generation"], status["status"], status["spec"], bad


@session.case("the dynamic client finds kinds, applies and watches")
def _():
    dynamic_client = dynamic.DynamicClient(client.ApiClient())
    pies = within(10, lambda: dynamic_client.resources.get(api_version=f"{GROUP}/v1", kind="Pie"))
    pies.server_side_apply({"apiVersion": f"{GROUP}/v1", "kind": "Pie", "metadata": {"name": "plum"}, "spec": {"size": 5}}, name="plum", namespace=space, field_manager="dynamic")
    names = [item.metadata.name for item in pies.get(namespace=space).items]
    events = [(event["type"], event["object"].metadata.name) for event in pies.watch(namespace=space, timeout=1)]
    return names, sorted(events), pies.namespaced, sorted(pies.verbs)


@session.case("a collection and a definition are deleted")
def _():
    core.delete_collection_namespaced_secret(space, label_selector="!keep")
    extensions.delete_custom_resource_definition(f"pies.{GROUP}")
    within(10, gone)
    return len(core.list_namespaced_secret(space).items)


core.delete_namespace(space)
session.end()
