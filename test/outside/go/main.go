// A small operator as people write them, and what is expected of the server below it: definition, leader election,
// informers, server-side apply, finalizers, events, and what clients are told when they err. Prints a line for each case,
// with what was seen, so that the output on two servers can be compared: "ok NAME: seen" or "not ok NAME: why".
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if err := run(ctx, ctrl.GetConfigOrDie()); err != nil {
		fmt.Printf("not ok session: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, access *rest.Config) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientscheme.AddToScheme, apiextensions.AddToScheme, addWidgets} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	direct, err := client.New(access, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "outside-"}}
	if err := direct.Create(ctx, space); err != nil {
		return err
	}
	s := &session{ctx: ctx, access: access, scheme: scheme, Client: direct, namespace: space.Name}
	defer func() {
		_ = direct.Delete(context.Background(), widgetDefinition())
		_ = direct.Delete(context.Background(), space)
	}()
	for _, c := range cases {
		s.check(c)
	}
	if s.failed > 0 {
		return fmt.Errorf("%d of %d cases failed", s.failed, len(cases))
	}
	return nil
}

// startManager runs the operator until the returned function is called.
func (s *session) startManager() (stop func() error, err error) {
	mgr, err := ctrl.NewManager(s.access, ctrl.Options{
		Scheme: s.scheme, Metrics: server.Options{BindAddress: "0"}, Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{s.namespace: {}}},
		LeaderElection: true, LeaderElectionID: "widget-operator", LeaderElectionNamespace: s.namespace, LeaderElectionReleaseOnCancel: true,
		LeaseDuration: ptr.To(3 * time.Second), RenewDeadline: ptr.To(2 * time.Second), RetryPeriod: ptr.To(200 * time.Millisecond),
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	if err != nil {
		return nil, err
	}
	reconciler := &widgetReconciler{Client: mgr.GetClient(), recorder: mgr.GetEventRecorder("widget-operator")}
	if err := reconciler.SetupWithManager(mgr); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	select {
	case <-mgr.Elected():
	case err := <-done:
		cancel()
		return nil, fmt.Errorf("the manager ended: %w", err)
	case <-time.After(20 * time.Second):
		cancel()
		return nil, fmt.Errorf("not elected within 20 s")
	}
	return func() error {
		cancel()
		return <-done
	}, nil
}
