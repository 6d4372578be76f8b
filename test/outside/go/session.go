package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type session struct {
	client.Client
	ctx       context.Context
	access    *rest.Config
	scheme    *runtime.Scheme
	namespace string
	failed    int
	stop      func() error
}

// A case says what it saw, in words that are the same on every server.
type testCase struct {
	name string
	run  func(s *session) (string, error)
}

var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|outside-[a-z0-9]{5}|\d{4}-\d\d-\d\dT[\d:.]+Z`)

func (s *session) check(c testCase) {
	seen, err := c.run(s)
	if err != nil {
		s.failed++
		fmt.Printf("not ok %s: %s\n", c.name, oneLine(err.Error()))
		return
	}
	fmt.Printf("ok %s: %s\n", c.name, oneLine(changing.ReplaceAllString(seen, "…")))
}

func oneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", " | ") }

// within asks until there is no error.
func within(limit time.Duration, ask func() error) error {
	deadline := time.Now().Add(limit)
	for {
		err := ask()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (s *session) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: s.namespace, Name: name}
}

// refusal is the text of an error that has to come.
func refusal(err error) (string, error) {
	if err == nil {
		return "", fmt.Errorf("accepted, and a refusal was expected")
	}
	return err.Error(), nil
}
