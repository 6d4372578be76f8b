// A candidate of an election in Go: with client-go's own elector, or as a manager of controller-runtime. While it leads it
// patches the ConfigMap "log" every 10 ms, without a resourceVersion, so that each write is accepted and says who led.
// candidate client-go|controller-runtime NAMESPACE IDENTITY LEASE RENEW RETRY (durations as Go writes them)
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const name = "op"

type candidate struct {
	clients              *kubernetes.Clientset
	access               *rest.Config
	namespace, identity  string
	lease, renew, period time.Duration
}

func main() {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	stand := map[string]func(*candidate, context.Context) error{"client-go": (*candidate).elect, "controller-runtime": (*candidate).manage}[os.Args[1]]
	access := ctrl.GetConfigOrDie()
	access.QPS = -1
	one := &candidate{clients: kubernetes.NewForConfigOrDie(access), access: access, namespace: os.Args[2], identity: os.Args[3]}
	for i, duration := range []*time.Duration{&one.lease, &one.renew, &one.period} {
		*duration, _ = time.ParseDuration(os.Args[4+i])
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	say("standing")
	if err := stand(one, ctx); err != nil {
		say("ended: %v", err)
		os.Exit(1)
	}
	say("ended")
}

// elect stops its work before it gives the Lease up, as ReleaseOnCancel asks of its users.
func (c *candidate) elect(asked context.Context) error {
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, c.namespace, name, c.clients.CoreV1(), c.clients.CoordinationV1(),
		resourcelock.ResourceLockConfig{Identity: c.identity})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	working, rest := context.WithCancel(context.Background())
	var work sync.WaitGroup
	go func() {
		<-asked.Done()
		rest()
		work.Wait()
		cancel()
	}()
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: c.lease, RenewDeadline: c.renew, RetryPeriod: c.period, ReleaseOnCancel: true, Name: name,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				work.Add(1)
				defer work.Done()
				go func() { <-leading.Done(); rest() }()
				c.work(working)
			},
			OnStoppedLeading: func() { say("stopped") },
			OnNewLeader:      func(identity string) { say("leader %s", identity) },
		},
	})
	return nil
}

func (c *candidate) manage(ctx context.Context) error {
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, c.namespace, name, c.clients.CoreV1(), c.clients.CoordinationV1(),
		resourcelock.ResourceLockConfig{Identity: c.identity})
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(c.access, ctrl.Options{
		Metrics: server.Options{BindAddress: "0"}, LeaderElection: true, LeaderElectionID: name, LeaderElectionNamespace: c.namespace,
		LeaderElectionResourceLockInterface: lock, LeaderElectionReleaseOnCancel: true,
		LeaseDuration: &c.lease, RenewDeadline: &c.renew, RetryPeriod: &c.period, GracefulShutdownTimeout: ptr.To(10 * time.Second),
	})
	if err != nil {
		return err
	}
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { c.work(ctx); return nil })); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func (c *candidate) work(ctx context.Context) {
	say("led")
	maps := c.clients.CoreV1().ConfigMaps(c.namespace)
	for count := 0; ctx.Err() == nil; count++ {
		body := fmt.Sprintf(`{"data":{"by":%q,"count":"%d"}}`, c.identity, count)
		var written *corev1.ConfigMap
		written, err := maps.Patch(context.Background(), "log", types.MergePatchType, []byte(body), metav1.PatchOptions{})
		if err != nil || written == nil {
			say("write: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func say(format string, values ...any) { fmt.Printf(format+"\n", values...) }
