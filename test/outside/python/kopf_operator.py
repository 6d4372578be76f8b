"""A kopf operator with most of what kopf offers: creation, update, field, deletion, resumption, timer, daemon, children, index."""
import kopf
from kubernetes import client, config

config.load_kube_config()


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_):
    settings.persistence.finalizer = "outside.example.com/kopf"
    settings.posting.level = 20
    settings.watching.server_timeout = 60


@kopf.index("outside.example.com", "v1", "dishes")
def sizes(name, spec, **_):
    return {spec.get("size", 0): name}


@kopf.on.create("outside.example.com", "v1", "dishes")
def created(name, namespace, spec, body, **_):
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{name}-child"}, "data": {"size": str(spec["size"])}}
    kopf.adopt(child)
    client.CoreV1Api().create_namespaced_config_map(namespace, child)
    kopf.info(body, reason="Cooked", message=f"{name} is made")
    return {"child": f"{name}-child"}


@kopf.on.update("outside.example.com", "v1", "dishes", field="spec.size")
def resized(old, new, name, namespace, patch, sizes: kopf.Index, **_):
    client.CoreV1Api().patch_namespaced_config_map(f"{name}-child", namespace, {"data": {"size": str(new)}})
    patch.status["resized"] = f"{old} to {new}"


@kopf.on.create("outside.example.com", "v1", "dishes", id="flaky", backoff=0.2)
def flaky(retry, **_):
    if retry < 2:
        raise kopf.TemporaryError("not yet", delay=0.2)
    return {"retries": retry}


@kopf.on.delete("outside.example.com", "v1", "dishes")
def deleted(name, namespace, **_):
    client.CoreV1Api().create_namespaced_config_map(namespace, {"metadata": {"name": f"{name}-deleted"}})


@kopf.daemon("outside.example.com", "v1", "dishes")
async def daemon(stopped, **_):
    while not stopped:
        await stopped.wait(1)


@kopf.timer("outside.example.com", "v1", "dishes", interval=0.5, idle=0)
async def timer(patch, status, **_):
    if status.get("ticks", 0) < 3:
        patch.status["ticks"] = status.get("ticks", 0) + 1
