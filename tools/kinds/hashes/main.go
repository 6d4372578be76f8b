// Command hashes records what kube-controller-manager calls the replica sets of pod templates: for each template,
// in the form in which the API serves it, the hash that k8s.io/kubernetes/pkg/controller.ComputeHash makes of it.
// There is one template for every field of a pod's spec, filled to its full depth, and one for every form of a quantity.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"log"
	"os"
	"reflect"
	"strings"
	"time"

	"homeostat.dev/tools/kinds/fill"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/controller"
)

type record struct {
	Name           string          `json:"name"`
	CollisionCount *int32          `json:"collisionCount,omitempty"`
	Hash           string          `json:"hash"`
	Template       json.RawMessage `json:"template"`
}

func main() {
	log.SetFlags(0)
	out := flag.String("out", "", "file to write")
	flag.Parse()
	if *out == "" || os.Getenv("TZ") != "" {
		log.Fatal("usage: TZ= go run ./hashes -out FILE (times depend on the time zone)")
	}
	_ = time.Now().Local().String() // loads the zone, as kube-controller-manager's first log line does
	var file bytes.Buffer
	file.WriteString("[\n")
	for i, one := range records() {
		if i > 0 {
			file.WriteString(",\n")
		}
		text, err := json.Marshal(one)
		check(err)
		file.Write(text)
	}
	file.WriteString("\n]\n")
	check(os.WriteFile(*out, file.Bytes(), 0o644))
}

func records() []record {
	zero, seven := int32(0), int32(7)
	all := []record{
		recordOf("plain", nil, plain()),
		recordOf("plain, collided at 0", &zero, plain()),
		recordOf("plain, collided seven times", &seven, plain()),
		recordOf("empty", nil, corev1.PodTemplateSpec{}),
		recordOf("empty lists, maps and structs", nil, empties()),
		recordOf("quantities", nil, withQuantities()),
	}
	template := plain()
	new(fill.Filler).Fill(reflect.ValueOf(&template.ObjectMeta).Elem())
	all = append(all, recordOf("metadata", nil, template))
	spec := reflect.TypeFor[corev1.PodSpec]()
	for i := range spec.NumField() {
		template := plain()
		new(fill.Filler).Fill(reflect.ValueOf(&template.Spec).Elem().Field(i))
		all = append(all, recordOf("spec."+spec.Field(i).Name, nil, template))
	}
	return all
}

func plain() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web", "Z": "", "é": "ü"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}}},
	}
}

func empties() corev1.PodTemplateSpec {
	template := plain()
	template.Annotations = map[string]string{}
	template.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	template.Spec.SecurityContext = &corev1.PodSecurityContext{}
	template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}
	template.Spec.Tolerations = []corev1.Toleration{}
	template.Spec.Containers[0].Resources.Limits = corev1.ResourceList{}
	template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "%v \"<&>\"\n\u2028"}}
	return template
}

func withQuantities() corev1.PodTemplateSpec {
	template := plain()
	limits := corev1.ResourceList{}
	for i, text := range fill.Quantities {
		limits[corev1.ResourceName("example.com/"+string(rune('a'+i%26))+strings.Repeat("z", i/26))] = resource.MustParse(text)
	}
	template.Spec.Containers[0].Resources.Limits = limits
	return template
}

// recordOf takes a template the way that a deployment goes: defaulted and stored by the API server, served as
// protobuf to the controller and as JSON to others.
func recordOf(name string, collisions *int32, template corev1.PodTemplateSpec) record {
	deployment := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: template}}
	sent, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(appsv1.SchemeGroupVersion), deployment)
	check(err)
	stored, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(appsv1.SchemeGroupVersion), sent)
	check(err)
	wire := protobuf.NewSerializer(legacyscheme.Scheme, legacyscheme.Scheme)
	var message bytes.Buffer
	check(wire.Encode(stored, &message))
	into := &appsv1.Deployment{}
	_, _, err = wire.Decode(message.Bytes(), nil, into)
	check(err)
	hash := controller.ComputeHash(&into.Spec.Template, collisions)
	served, err := json.Marshal(into.Spec.Template)
	check(err)
	return record{Name: name, CollisionCount: collisions, Hash: hash, Template: served}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
