// The webhook of the row `reviews`, as kubebuilder's scaffold has it. Arguments after "webhook":
// folder of the certificate, port. Prints "serving", and ends with its input.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type rules struct{}

func (rules) ValidateCreate(_ context.Context, order *Order) (admission.Warnings, error) {
	var all field.ErrorList
	spec := field.NewPath("spec")
	if order.Spec.Table > 90 {
		all = append(all, field.Invalid(spec.Child("table"), order.Spec.Table, "there are 90 tables"))
	}
	names := map[string]struct{}{}
	for _, dish := range order.Spec.Dishes {
		names[dish.Name] = struct{}{}
	}
	if len(names) != len(order.Spec.Dishes) {
		all = append(all, field.Invalid(spec.Child("dishes"), order.Spec.Dishes, "a dish is listed twice"))
	}
	if len(all) > 0 {
		return nil, errors.NewInvalid(groupVersion.WithKind("Order").GroupKind(), order.Name, all)
	}
	return nil, nil
}

func (rules) ValidateUpdate(context.Context, *Order, *Order) (admission.Warnings, error) {
	return nil, nil
}

func (rules) ValidateDelete(context.Context, *Order) (admission.Warnings, error) {
	return nil, nil
}

func serveWebhook(folder, port string) {
	number, err := strconv.Atoi(port)
	must(err)
	scheme := apiruntime.NewScheme()
	addToScheme(scheme)
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: number, CertDir: folder})
	server.Register("/validate", admission.WithValidator[*Order](scheme, rules{}))
	go func() { must(server.Start(context.Background())) }()
	for {
		connection, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			connection.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println("serving")
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}
