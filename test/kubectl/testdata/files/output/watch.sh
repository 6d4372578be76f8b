# Shows what a watch sees: waits for its first $1 lines, runs the command $2, waits for $3 lines in all, and ends the watch that
# the remaining arguments are.
before=$1 change=$2 after=$3
shift 3
seen=$(mktemp)
"$@" >"$seen" 2>&1 &
watch=$!
tries=0
until [ "$(wc -l <"$seen")" -ge "$before" ] || [ "$tries" -ge 100 ]; do tries=$((tries + 1)); sleep 0.1; done
sh -c "$change" >/dev/null 2>&1
until [ "$(wc -l <"$seen")" -ge "$after" ] || [ "$tries" -ge 200 ]; do tries=$((tries + 1)); sleep 0.1; done
kill "$watch"
cat "$seen"
rm -f "$seen"
