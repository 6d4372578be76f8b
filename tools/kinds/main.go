// Command kinds writes one file of facts about every built-in kind of the Kubernetes minor it is linked against:
// Go structs with their JSON and protobuf forms, merge rules, enums and published defaults, and what a running
// kube-apiserver says in discovery. The form of the lines is described in
// packages/apiserver/src/apimachinery/kind-data/decode-line.ts; README.md beside this file says how to run it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"sort"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	log.SetFlags(0)
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig of a running kube-apiserver of that minor, with the flags of README.md")
	out := flag.String("out", "", "file to write")
	flag.Parse()
	if *kubeconfig == "" || *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatalf("read kubeconfig: %v", err)
	}
	client, err := rest.UnversionedRESTClientFor(unversioned(config))
	if err != nil {
		log.Fatalf("build client: %v", err)
	}
	if err := write(served(context.Background(), client), *out); err != nil {
		log.Fatalf("write %s: %v", *out, err)
	}
}

// write puts the head first, then one line per group, the columns, then one line per type, in a stable order.
func write(served discovery, path string) error {
	catalogue := newCatalogue()
	groups := catalogue.groups(served)
	var file bytes.Buffer
	line(&file, map[string]any{"kubernetes": served.version, "groups": served.groups, "origin": origin()})
	for _, g := range groups {
		line(&file, []any{"group:" + g.name, map[string]any{"kinds": g.kinds, "types": g.types}})
	}
	for _, columns := range columnLines(served) {
		line(&file, columns)
	}
	models := make([]string, 0, len(catalogue.types))
	for model := range catalogue.types {
		models = append(models, model)
	}
	sort.Strings(models)
	for _, model := range models {
		line(&file, catalogue.types[model])
	}
	fmt.Printf("%s: %d groups, %d types, %d bytes\n", served.version, len(groups), len(models), file.Len())
	return os.WriteFile(path, file.Bytes(), 0o644)
}

func line(file *bytes.Buffer, value any) {
	encoder := json.NewEncoder(file)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		log.Fatalf("encode: %v", err)
	}
}

// origin names the modules that the facts were read from, with the versions that were linked.
func origin() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		log.Fatal("no build information: run with module support")
	}
	wanted := []string{"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/apimachinery", "k8s.io/client-go", "k8s.io/kube-aggregator", "k8s.io/kubernetes"}
	for _, module := range info.Deps {
		for _, name := range wanted {
			if module.Path == name {
				versions[name] = module.Version
				if module.Replace != nil {
					versions[name] = module.Replace.Version
				}
			}
		}
	}
	return versions
}
