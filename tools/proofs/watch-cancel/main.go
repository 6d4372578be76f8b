// Opens watches with client-go, takes one event from each and cancels them, many times over on one HTTP/2 connection, and
// then asks for a list on the same connection. Prints `watches N connections N list ok`; the server is to be indifferent.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

const together = 100

func main() {
	server, authority := os.Args[1], os.Args[2]
	total, err := strconv.Atoi(os.Args[3])
	check(err)
	var connections atomic.Int64
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	client, err := dynamic.NewForConfig(&rest.Config{
		Host: server, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAFile: authority},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			connections.Add(1)
			return dialer.DialContext(ctx, network, address)
		},
	})
	check(err)
	maps := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("default")
	// One request first: Go dials once for each request that finds no connection yet.
	_, err = maps.List(context.Background(), metav1.ListOptions{})
	check(err)
	for done := 0; done < total; done += together {
		var group sync.WaitGroup
		for range together {
			group.Go(func() {
				watch, err := maps.Watch(context.Background(), metav1.ListOptions{})
				check(err)
				if event, open := <-watch.ResultChan(); !open || event.Type != "ADDED" {
					check(fmt.Errorf("expected an ADDED event, got %v", event))
				}
				watch.Stop()
			})
		}
		group.Wait()
	}
	_, err = maps.List(context.Background(), metav1.ListOptions{})
	check(err)
	fmt.Printf("watches %d connections %d list ok\n", total, connections.Load())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
