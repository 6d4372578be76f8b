"""Runs a kopf operator and drives it from outside."""
import os
import subprocess
import sys
import time

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

from cases import Session, definition, within

config.load_kube_config()
session = Session()
core = client.CoreV1Api()
custom = client.CustomObjectsApi()
extensions = client.ApiextensionsV1Api()
space = core.create_namespace({"metadata": {"generateName": "outside-"}}).metadata.name
where = ("outside.example.com", "v1", space, "dishes")
extensions.create_custom_resource_definition(definition("dishes", "Dish"))
within(10, lambda: any(c.type == "Established" and c.status == "True" for c in extensions.read_custom_resource_definition("dishes.outside.example.com").status.conditions or []))
here = os.path.dirname(os.path.abspath(__file__))
operator = subprocess.Popen([sys.executable, "-m", "kopf", "run", "--namespace", space, "--quiet", os.path.join(here, "kopf_operator.py")], stdout=sys.stderr, stderr=sys.stderr)


def gone(read):
    try:
        read()
        return False
    except ApiException as error:
        return error.status == 404


def dish():
    return custom.get_namespaced_custom_object(*where, "soup")


@session.case("creation: finalizer, handlers with results, retries and timer in status")
def _():
    custom.create_namespaced_custom_object(*where, {"apiVersion": "outside.example.com/v1", "kind": "Dish", "metadata": {"name": "soup"}, "spec": {"size": 2}})
    within(30, lambda: {"created", "flaky", "ticks"} <= set(dish().get("status", {})) and dish()["status"]["ticks"] == 3)
    found = dish()
    return found["metadata"]["finalizers"], found["status"]["created"], found["status"]["flaky"], found["spec"]


@session.case("the child is owned")
def _():
    child = core.read_namespaced_config_map("soup-child", space)
    owner = child.metadata.owner_references[0]
    return child.data, owner.kind, owner.controller, owner.uid == dish()["metadata"]["uid"]


@session.case("an update reaches the field handler, and the child")
def _():
    custom.patch_namespaced_custom_object(*where, "soup", {"spec": {"size": 7}})
    within(20, lambda: dish()["status"].get("resized"))
    return dish()["status"]["resized"], core.read_namespaced_config_map("soup-child", space).data


@session.case("events are posted")
def _():
    events = within(10, lambda: [event for event in core.list_namespaced_event(space).items if event.reason == "Cooked"])
    return events[0].message, events[0].type, events[0].involved_object.kind, events[0].source.component


@session.case("a restarted operator resumes without doing it again")
def _():
    global operator
    operator.terminate()
    operator.wait(20)
    before = dish()["metadata"]["annotations"]
    operator = subprocess.Popen([sys.executable, "-m", "kopf", "run", "--namespace", space, "--quiet", os.path.join(here, "kopf_operator.py")], stdout=sys.stderr, stderr=sys.stderr)
    custom.patch_namespaced_custom_object(*where, "soup", {"spec": {"size": 8}})
    within(20, lambda: dish()["status"].get("resized") == "7 to 8")
    return sorted(before), dish()["status"]["created"]


@session.case("deletion runs the handler and lets go")
def _():
    time.sleep(1.5)  # a daemon that has hardly begun makes kopf look again after a minute only
    custom.delete_namespaced_custom_object(*where, "soup")
    within(20, lambda: gone(dish))
    return core.read_namespaced_config_map("soup-deleted", space).metadata.name


operator.terminate()
operator.wait(20)
extensions.delete_custom_resource_definition("dishes.outside.example.com")
core.delete_namespace(space)
session.end()
