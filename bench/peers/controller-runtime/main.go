// The operator of the rows on controller-runtime: counts dishes and says Ready. Arguments:
// kubeconfig, namespace, workers, number of objects. Prints "synced", "first" at its first
// reconcile, and "done" once it has written the status of all objects. On each line of input it
// prints the bytes of its live heap.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type cooks struct {
	client client.Client
	first  atomic.Bool
	left   atomic.Int64
}

func (c *cooks) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	if c.first.CompareAndSwap(false, true) {
		fmt.Println("first")
	}
	order := &Order{}
	if err := c.client.Get(ctx, request.NamespacedName, order); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := *order.DeepCopyObject().(*Order)
	order.Status.Cooked = len(order.Spec.Dishes)
	order.Status.ObservedGeneration = order.Generation
	meta.SetStatusCondition(&order.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: "True", Reason: "Served", ObservedGeneration: order.Generation,
	})
	if equality.Semantic.DeepEqual(before.Status, order.Status) {
		return ctrl.Result{}, nil
	}
	if err := c.client.Status().Update(ctx, order); err != nil {
		return ctrl.Result{}, err
	}
	if c.left.Add(-1) == 0 {
		fmt.Println("done")
	}
	return ctrl.Result{}, nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctrl.SetLogger(logr.Discard())
	if os.Args[1] == "webhook" {
		serveWebhook(os.Args[2], os.Args[3])
	}
	namespace := os.Args[2]
	workers, err := strconv.Atoi(os.Args[3])
	must(err)
	count, err := strconv.ParseInt(os.Args[4], 10, 64)
	must(err)
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	must(err)
	config.QPS = -1
	scheme := apiruntime.NewScheme()
	addToScheme(scheme)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metrics.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	})
	must(err)
	reconciler := &cooks{client: manager.GetClient()}
	reconciler.left.Store(count)
	if workers > 0 {
		must(ctrl.NewControllerManagedBy(manager).For(&Order{}).
			WithOptions(controller.Options{MaxConcurrentReconciles: workers}).Complete(reconciler))
	}
	ctx := context.Background()
	go report(ctx, manager)
	must(manager.Start(ctx))
}

func report(ctx context.Context, manager ctrl.Manager) {
	informer, err := manager.GetCache().GetInformer(ctx, &Order{})
	must(err)
	if informer.HasSynced() {
		fmt.Println("synced")
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		runtime.GC()
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		fmt.Println(stats.HeapAlloc)
	}
	os.Exit(0)
}
