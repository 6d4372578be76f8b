package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"
	"reflect"
	"slices"
	"strings"

	"homeostat.dev/tools/kinds/fill"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// sample is an object of the API, and what upstream prints of the internal struct that it is converted to.
type sample struct {
	Type    string          `json:"type"`
	Value   json.RawMessage `json:"value"`
	Printed json.RawMessage `json:"printed"`
}

// sampled are the kinds of which refusals print the most: with them go pod templates, selectors, devices and schemas.
var sampled = map[string]bool{
	"admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": true, "apiregistration.k8s.io/APIService": true,
	"batch/Job": true, "certificates.k8s.io/CertificateSigningRequest": true,
	"flowcontrol.apiserver.k8s.io/FlowSchema": true, "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": true,
	"/PersistentVolume": true, "policy/PodDisruptionBudget": true, "resource.k8s.io/ResourceClaim": true,
}

// writeSamples fills one object of each.
func writeSamples(path string) {
	scheme := legacyscheme.Scheme
	install.Install(scheme)
	aggregator.Install(scheme)
	samples := []sample{}
	for _, gv := range stableVersions(scheme) {
		for kind, t := range scheme.KnownTypes(gv) {
			internal := gv
			internal.Version = runtime.APIVersionInternal
			if _, known := scheme.KnownTypes(internal)[kind]; !known || !sampled[gv.Group+"/"+kind] {
				continue
			}
			made, err := scheme.New(internal.WithKind(kind))
			if err != nil {
				log.Fatal(err)
			}
			samples = append(samples, sampleOf(scheme, t, made))
		}
	}
	samples = append(samples, sampleOf(scheme, reflect.TypeFor[apiextensionsv1.JSONSchemaProps](), &apiextensions.JSONSchemaProps{}))
	slices.SortFunc(samples, func(a, b sample) int { return strings.Compare(a.Type, b.Type) })
	var file bytes.Buffer
	for _, one := range samples {
		text, err := json.Marshal(one)
		if err != nil {
			log.Fatal(err)
		}
		file.Write(append(text, '\n'))
	}
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

func sampleOf(scheme *runtime.Scheme, t reflect.Type, internal any) sample {
	versioned := reflect.New(t)
	new(fill.Filler).Fill(versioned.Elem())
	if meta := versioned.Elem().FieldByName("TypeMeta"); meta.IsValid() {
		meta.SetZero()
	}
	value, err := json.Marshal(versioned.Interface())
	if err != nil {
		log.Fatalf("%s: %v", t, err)
	}
	sent := reflect.New(t)
	if err := json.Unmarshal(value, sent.Interface()); err != nil {
		log.Fatalf("%s: %v", t, err)
	}
	if err := scheme.Convert(sent.Interface(), internal, nil); err != nil {
		log.Fatalf("%s: %v", t, err)
	}
	printed, err := json.Marshal(internal)
	if err != nil {
		log.Fatalf("%s: %v", t, err)
	}
	return sample{Type: reflect.TypeOf(internal).Elem().String(), Value: value, Printed: printed}
}
