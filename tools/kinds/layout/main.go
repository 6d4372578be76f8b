// Command layout writes how upstream's internal Go structs print as JSON: refusals show values in this form. One line
// per struct names its members, each with its type and the name that it has in the API. The form of the lines is
// described in packages/apiserver/src/apimachinery/kind-data/decode-layout.ts.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
)

func main() {
	log.SetFlags(0)
	out := flag.String("out", "", "file to write")
	printed := flag.String("samples", "", "file for filled objects and what their internal structs print as")
	flag.Parse()
	if *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	layouts := &layouts{lines: map[string][]any{}, packages: map[string]string{}}
	layouts.addScheme(legacyscheme.Scheme)
	layouts.add(reflect.TypeFor[apiextensions.CustomResourceDefinition](), reflect.TypeFor[apiextensionsv1.CustomResourceDefinition]())
	layouts.add(reflect.TypeFor[apiregistration.APIService](), reflect.TypeFor[apiregistrationv1.APIService]())
	layouts.addRest()
	var file bytes.Buffer
	fmt.Fprintf(&file, "{\"origin\":{\"k8s.io/kubernetes\":%q}}\n", version("k8s.io/kubernetes"))
	for _, name := range slices.Sorted(maps.Keys(layouts.lines)) {
		encoder := json.NewEncoder(&file)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode([]any{name, layouts.lines[name]}); err != nil {
			log.Fatal(err)
		}
	}
	if *printed != "" {
		writeSamples(*printed)
	}
	fmt.Printf("%d types, %d bytes\n", len(layouts.lines), file.Len())
	if err := os.WriteFile(*out, file.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

// addScheme adds every kind of the stable versions, the preferred one first. What is listed prints one by one.
func (l *layouts) addScheme(scheme *runtime.Scheme) {
	for _, gv := range stableVersions(scheme) {
		for _, kind := range slices.Sorted(maps.Keys(scheme.KnownTypes(gv))) {
			internal := gv
			internal.Version = runtime.APIVersionInternal
			t, known := scheme.KnownTypes(internal)[kind]
			if known && strings.Contains(t.PkgPath(), "/pkg/apis/") && !strings.HasSuffix(kind, "List") {
				l.add(t, scheme.KnownTypes(gv)[kind])
			}
		}
	}
}

// behindFeatureGate is an unstable version that the server can serve (../discovery.go).
const behindFeatureGate = "storagemigration.k8s.io/v1beta1"

// stableVersions are in the order of groups, the preferred version of each first.
func stableVersions(scheme *runtime.Scheme) []schema.GroupVersion {
	versions := slices.DeleteFunc(scheme.PrioritizedVersionsAllGroups(), func(gv schema.GroupVersion) bool {
		isUnstable := strings.Contains(gv.Version, "alpha") || strings.Contains(gv.Version, "beta")
		return isUnstable && gv.String() != behindFeatureGate
	})
	slices.SortStableFunc(versions, func(a, b schema.GroupVersion) int { return strings.Compare(a.Group, b.Group) })
	return versions
}

// version is that of a linked module.
func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, each := range info.Deps {
		if each.Path == module {
			return each.Version
		}
	}
	log.Fatalf("module %s is not linked", module)
	return ""
}
