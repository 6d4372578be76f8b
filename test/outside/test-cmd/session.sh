#!/usr/bin/env bash
# Runs one part of upstream's test-cmd (hack/make-rules/test-cmd.sh) on a server that is already running: upstream's own
# setup and order, without what builds, starts and stops etcd, kube-apiserver and kube-controller-manager.
#   session.sh NAME        run_NAME_tests, or one of the passages below that upstream wrote between them
# Needs: the current folder is a copy of upstream's sources with kubectl in _output/bin, and SECURE_API_PORT is set.
set -o errexit -o nounset -o pipefail

export TERM="${TERM:-dumb}"
KUBE_ROOT="$(pwd)"
export KUBE_ROOT
export KUBE_JUNIT_REPORT_DIR="${TMPDIR:-/tmp}/junit"
source hack/lib/init.sh
source hack/lib/test.sh
source test/cmd/legacy-script.sh

kube::etcd::start() { :; }
kube::etcd::cleanup() { :; }
make() { :; }

# Upstream's sends the output through a pipe, which a proxy left by a part that failed keeps open for ever.
record_command() {
  local code=0
  set +o errexit
  (
    trap stop-proxy EXIT
    set -o errexit
    "$@"
  )
  code=$?
  set -o errexit
  echo "part ended with ${code}"
  [[ ${code} -eq 0 ]] || foundError="$1"
}

# Upstream's looks for the name of the authority that its own start of the server makes.
kube::util::test_client_certificate_authentication_enabled() {
  kube::util::test_openssl_installed
  echo | "${OPENSSL_BIN}" s_client -connect "127.0.0.1:${SECURE_API_PORT}" 2>/dev/null | grep 'Acceptable client certificate CA names' >/dev/null
}

# A passage of runTests that is no function: from one line to the next that matches.
passage() {
  sed -n '/^runTests()/,$p' test/cmd/legacy-script.sh | sed -n "/$2/,\$p" | sed "1d; /$3/,\$d" >"${TMPDIR:-/tmp}/passage-$1"
  eval "run_$1_tests() { set -o nounset; $(cat "${TMPDIR:-/tmp}/passage-$1"); }"
}
passage api_resources '# find all resources' '#####'
passage auth_can_i '# kubectl auth can-i$' '# kubectl auth reconcile$'
passage auth_reconcile '# kubectl auth reconcile$' '#####'

# Two whose names do not end as the others' do.
run_secrets_tests() { run_secrets_test; }
run_kubectl_diff_same_names_tests() { run_kubectl_diff_same_names; }

export SUPPORTED_RESOURCES=("*")
# --match-server-version compares commits too, and neither server was built from one.
export ALLOW_SKEW=true
export WHAT="$1"
setup
source <(sed -n '/^function create_node/,/^__EOF__/p; /^__EOF__/a }' hack/make-rules/test-cmd.sh)
kubectl get node 127.0.0.1 >/dev/null 2>&1 || create_node
# Upstream runs the parts one after another, so that each finds itself in the namespace of the one before it.
create_and_use_new_namespace
runTests
