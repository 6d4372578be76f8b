#!/bin/sh
# A release from installation to its end, by the helm in $HELM and the kubectl in $KUBECTL. Prints "ok NAME: seen" or
# "not ok NAME: why" for each case; what was seen is the same on every server.
set -u
chart="$(dirname "$0")/widgets"
space="outside-helm-$$"
failed=0
export HELM_CACHE_HOME="${HELM_HOME:?}" HELM_CONFIG_HOME="$HELM_HOME" HELM_DATA_HOME="$HELM_HOME"
kube() { "${KUBECTL:-kubectl}" -n "$space" "$@"; }
run() { "$HELM" -n "$space" "$@"; }
steady() { sed -E -e "s/$space/SPACE/g" -e 's/[A-Z][a-z]{2} [A-Z][a-z]{2} +[0-9]+ [0-9:]{8} [0-9]{4}/TIME/g' -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+( [+-][0-9]{4} [A-Z]+|Z)?/TIME/g' | tr '\n' '|' ; }
# case_ NAME COMMAND…: ok when the command succeeds; refused NAME COMMAND…: when it does not.
case_() { name="$1"; shift; if seen="$("$@" 2>&1)"; then echo "ok $name: $(printf '%s' "$seen" | steady)"; else failed=1; echo "not ok $name: $(printf '%s' "$seen" | steady)"; fi; }
refused() { name="$1"; shift; if seen="$("$@" 2>&1)"; then failed=1; echo "not ok $name: accepted"; else echo "ok $name: $(printf '%s' "$seen" | grep -v '^level=' | steady)"; fi; }
values() { kube get configmap web-settings web-hook -o 'jsonpath={range .items[*]}{.metadata.name} {.data} {.metadata.labels}{"\n"}{end}' && kube get deployment web -o 'jsonpath={.spec.replicas} {.spec.template.spec.containers[0].env}{"\n"}' && kube get gadget web -o 'jsonpath={.spec}{"\n"}'; }
managers() { kube get configmap web-settings -o 'jsonpath={range .metadata.managedFields[*]}{.manager} {.operation}{"\n"}{end}'; }
manifest() { run get manifest web | grep -c '^kind:'; }
# Plays the kubelet where there is none: ends the pod of `helm test` in a phase, and runs the test meanwhile.
check() {
  (
    tries=0
    until kube patch pod web-check --subresource=status --type merge -p "{\"status\":{\"phase\":\"$1\"}}" >/dev/null 2>&1; do
      tries=$((tries + 1)) && [ "$tries" -lt 100 ] || exit 1
      sleep 0.2
    done
  ) &
  said="$(run test web --timeout 60s 2>&1)" && tested=0 || tested=$?
  printf '%s\n' "$said" | grep -vE '^(LAST DEPLOYED|Last|Started|Completed)'
  return "$tested"
}

case_ "install, namespace and definition included" run install web "$chart" --create-namespace --hide-notes
case_ "what was installed" values
case_ "who manages it" managers
case_ "list" run list --no-headers --time-format TIME
case_ "the stored manifest" manifest
refused "a second release of that name" run install web "$chart"
case_ "test" check Succeeded
case_ "upgrade" run upgrade web "$chart" --set colour=red,replicas=3,extra=true --hide-notes
case_ "what was upgraded" values
refused "an upgrade that the schema refuses" run upgrade web "$chart" --set colour=blue
case_ "history tells of it" run history web --max 10 -o yaml
case_ "rollback" run rollback web 1
case_ "what was rolled back" values
case_ "what a failed revision forgot stays" kube get configmap web-extra -o name
kube delete configmap web-settings >/dev/null
case_ "an upgrade repairs what is missing" run upgrade web "$chart" --hide-notes
case_ "what was repaired" values
kube patch configmap web-settings --type merge --field-manager kubectl-edit -p '{"data":{"colour":"mauve"}}' >/dev/null
refused "an upgrade that conflicts with another manager" run upgrade web "$chart" --set colour=red
case_ "the same, forced" run upgrade web "$chart" --set colour=red --force-conflicts --hide-notes
case_ "a dry run on the server" sh -c '"$HELM" -n "$1" upgrade web "$2" --dry-run=server | grep -c "^kind:"' sh "$space" "$chart"
kube delete pod web-check --wait=true --grace-period=0 --force >/dev/null 2>&1
refused "a test that fails" check Failed
case_ "uninstall" run uninstall web
case_ "what is left" sh -c '"${KUBECTL:-kubectl}" -n "$1" get configmap,secret,deployment,service,role -o name | grep -v kube-root-ca' sh "$space"
kube delete crd gadgets.outside.example.com >/dev/null
kube delete namespace "$space" --wait=false >/dev/null
exit "$failed"
