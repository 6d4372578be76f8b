# Plays kubelet: the containers of every pod with the label $1 run and are ready, until $2 of them are updated to $3's generation.
# usage: make-ready.sh LABEL KIND/NAME
tries=0
until kubectl rollout status "$2" --watch=false 2>/dev/null | grep -qE 'successfully rolled out|rolling update complete|roll out complete|partitioned roll out complete'; do
  tries=$((tries + 1)); [ "$tries" -gt 40 ] && exit 1
  for pod in $(kubectl get pods -l "$1" -o go-template='{{range .items}}{{if ne .status.phase "Running"}}{{.metadata.name}} {{end}}{{end}}'); do
    kubectl patch pod "$pod" --subresource=status --type=merge -p '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}' >/dev/null 2>&1
  done
done
