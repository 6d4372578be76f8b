package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	autoscaling "k8s.io/api/autoscaling/v1"
	coordination "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var cases = []testCase{
	{"definition becomes established", func(s *session) (string, error) {
		if err := s.Create(s.ctx, widgetDefinition()); err != nil {
			return "", err
		}
		definition := &apiextensions.CustomResourceDefinition{}
		err := within(10*time.Second, func() error {
			if err := s.Get(s.ctx, client.ObjectKeyFromObject(widgetDefinition()), definition); err != nil {
				return err
			}
			for _, condition := range definition.Status.Conditions {
				if condition.Type == apiextensions.Established && condition.Status == apiextensions.ConditionTrue {
					return nil
				}
			}
			return fmt.Errorf("not established")
		})
		return fmt.Sprint(definition.Status.AcceptedNames, definition.Status.StoredVersions), err
	}},
	{"discovery has the new kind", func(s *session) (string, error) {
		var seen string
		err := within(5*time.Second, func() error {
			found, err := discovery.NewDiscoveryClientForConfigOrDie(s.access).ServerResourcesForGroupVersion(groupVersion.String())
			if err != nil {
				return err
			}
			var names []string
			for _, resource := range found.APIResources {
				names = append(names, fmt.Sprint(resource.Name, resource.Verbs))
			}
			slices.Sort(names)
			seen = strings.Join(names, " ")
			if len(names) != 3 {
				return fmt.Errorf("got %s", seen)
			}
			return nil
		})
		return seen, err
	}},
	{"a manager is elected and its caches fill", func(s *session) (string, error) {
		stop, err := s.startManager()
		if err != nil {
			return "", err
		}
		s.stop = stop
		lease := &coordination.Lease{}
		err = s.Get(s.ctx, s.key("widget-operator"), lease)
		return fmt.Sprintf("held %t, %d s, transitions %d", *lease.Spec.HolderIdentity != "", *lease.Spec.LeaseDurationSeconds, *lease.Spec.LeaseTransitions), err
	}},
	{"a widget is reconciled: default, finalizer, status, child", func(s *session) (string, error) {
		widget := &Widget{ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: s.namespace}, Spec: WidgetSpec{Size: 3, Data: map[string]string{"a": "1"}}}
		if err := s.Create(s.ctx, widget); err != nil {
			return "", err
		}
		return s.settled("one", 3)
	}},
	{"a change of spec reaches child and status", func(s *session) (string, error) {
		widget := &Widget{}
		err := within(5*time.Second, func() error {
			if err := s.Get(s.ctx, s.key("one"), widget); err != nil {
				return err
			}
			widget.Spec.Size = 5
			widget.Spec.Data = nil
			return s.Update(s.ctx, widget)
		})
		if err != nil {
			return "", err
		}
		return s.settled("one", 5)
	}},
	{"a deleted child comes back", func(s *session) (string, error) {
		child := &corev1.ConfigMap{}
		if err := s.Get(s.ctx, s.key("one-data"), child); err != nil {
			return "", err
		}
		if err := s.Delete(s.ctx, child); err != nil {
			return "", err
		}
		again := &corev1.ConfigMap{}
		err := within(10*time.Second, func() error {
			if err := s.Get(s.ctx, s.key("one-data"), again); err != nil {
				return err
			}
			if again.UID == child.UID {
				return fmt.Errorf("still the old one")
			}
			return nil
		})
		return fmt.Sprint(again.Data), err
	}},
	{"who applies what another manager holds is told", func(s *session) (string, error) {
		return refusal(s.applySize("intruder", "7"))
	}},
	{"events were recorded", func(s *session) (string, error) {
		list := &eventsv1.EventList{}
		err := within(10*time.Second, func() error {
			if err := s.List(s.ctx, list, client.InNamespace(s.namespace), client.MatchingFields{"reason": "Applied"}); err != nil {
				return err
			}
			if len(list.Items) < 2 {
				return fmt.Errorf("%d events", len(list.Items))
			}
			return nil
		})
		if err != nil {
			return "", err
		}
		event := list.Items[0]
		return fmt.Sprint(len(list.Items), event.Type, event.Action, event.ReportingController, event.Regarding.Kind, event.Regarding.Name), nil
	}},
	{"a widget that breaks the schema is refused", func(s *session) (string, error) {
		return sortedCauses(s.Create(s.ctx, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "bad", Namespace: s.namespace}, Spec: WidgetSpec{Size: 0, Colour: "blue"}}))
	}},
	{"a widget that breaks a rule is refused", func(s *session) (string, error) {
		return refusal(s.Create(s.ctx, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "bad", Namespace: s.namespace}, Spec: WidgetSpec{Size: 11}}))
	}},
	{"an update of what is no longer so is a conflict", func(s *session) (string, error) {
		stale := &Widget{}
		if err := s.Get(s.ctx, s.key("one"), stale); err != nil {
			return "", err
		}
		fresh := stale.DeepCopy()
		fresh.Labels = map[string]string{"touched": "yes"}
		if err := s.Update(s.ctx, fresh); err != nil {
			return "", err
		}
		stale.Spec.Size = 9
		return refusal(s.Update(s.ctx, stale))
	}},
	{"an update of the object leaves status alone, and the other way round", func(s *session) (string, error) {
		widget := &Widget{}
		if err := s.Get(s.ctx, s.key("one"), widget); err != nil {
			return "", err
		}
		widget.Status.Size = 99
		widget.Labels = map[string]string{"tier": "back"}
		if err := s.Update(s.ctx, widget); err != nil {
			return "", err
		}
		first := fmt.Sprint(widget.Status.Size, widget.Labels)
		widget.Spec.Size = 99
		widget.Status.Selector = "widget=one"
		err := s.Status().Update(s.ctx, widget)
		return fmt.Sprint(first, widget.Spec.Size), err
	}},
	{"what does not exist, exists already, or has no kind is told apart", func(s *session) (string, error) {
		missing := s.Get(s.ctx, s.key("nobody"), &Widget{})
		twice := s.Create(s.ctx, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: s.namespace}, Spec: WidgetSpec{Size: 1}})
		stranger := &unstructured.Unstructured{}
		stranger.SetAPIVersion("outside.example.com/v1")
		stranger.SetKind("Stranger")
		unknown := s.Get(s.ctx, s.key("x"), stranger)
		return fmt.Sprint(missing, " / ", twice, " / ", meta.IsNoMatchError(unknown)), nil
	}},
	{"selectors by label and by field", func(s *session) (string, error) {
		if err := s.Create(s.ctx, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "two", Namespace: s.namespace, Labels: map[string]string{"tier": "front"}}, Spec: WidgetSpec{Size: 2, Colour: "red"}}); err != nil {
			return "", err
		}
		if _, err := s.settled("two", 2); err != nil {
			return "", err
		}
		var seen []string
		for _, options := range [][]client.ListOption{{client.MatchingLabels{"tier": "back"}}, {client.MatchingFields{"spec.colour": "red"}}, {client.MatchingFields{"metadata.name": "two"}}} {
			list := &WidgetList{}
			if err := s.List(s.ctx, list, append(options, client.InNamespace(s.namespace))...); err != nil {
				return "", err
			}
			for _, widget := range list.Items {
				seen = append(seen, widget.Name)
			}
			seen = append(seen, "/")
		}
		return fmt.Sprint(seen), nil
	}},
	{"a field that is not selectable is refused", func(s *session) (string, error) {
		return refusal(s.List(s.ctx, &WidgetList{}, client.InNamespace(s.namespace), client.MatchingFields{"spec.size": "2"}))
	}},
	{"the scale of a widget is read and written", func(s *session) (string, error) {
		widget := &Widget{ObjectMeta: metav1.ObjectMeta{Name: "two", Namespace: s.namespace}}
		scale := &autoscaling.Scale{}
		if err := s.SubResource("scale").Get(s.ctx, widget, scale); err != nil {
			return "", err
		}
		before := fmt.Sprint(scale.Spec, scale.Status)
		scale.Spec.Replicas = 4
		if err := s.SubResource("scale").Update(s.ctx, widget, client.WithSubResourceBody(scale)); err != nil {
			return "", err
		}
		seen, err := s.settled("two", 4)
		return before + " " + seen, err
	}},
	{"patches: JSON with a test that fails, merge, strategic, dry run", func(s *session) (string, error) {
		widget := &Widget{ObjectMeta: metav1.ObjectMeta{Name: "two", Namespace: s.namespace}}
		failing := s.Patch(s.ctx, widget, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"test","path":"/spec/size","value":40}]`)))
		strategic := s.Patch(s.ctx, widget, client.RawPatch(types.StrategicMergePatchType, []byte(`{}`)))
		if err := s.Patch(s.ctx, widget, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"tier":null,"dry":"run"}}}`)), client.DryRunAll); err != nil {
			return "", err
		}
		dry := fmt.Sprint(widget.Labels)
		if err := s.Get(s.ctx, s.key("two"), widget); err != nil {
			return "", err
		}
		return fmt.Sprint(failing, " / ", strategic, " / ", dry, widget.Labels), nil
	}},
	{"lists come in pages", func(s *session) (string, error) {
		for i := range 5 {
			if err := s.Create(s.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("page-%d", i), Namespace: s.namespace, Labels: map[string]string{"page": "yes"}}}); err != nil {
				return "", err
			}
		}
		var seen []string
		token := ""
		for {
			list := &corev1.ConfigMapList{}
			if err := s.List(s.ctx, list, client.InNamespace(s.namespace), client.MatchingLabels{"page": "yes"}, client.Limit(2), client.Continue(token)); err != nil {
				return "", err
			}
			for _, item := range list.Items {
				seen = append(seen, item.Name)
			}
			seen = append(seen, "/")
			if token = list.Continue; token == "" {
				return fmt.Sprint(seen), nil
			}
		}
	}},
	{"protobuf bodies and answers", func(s *session) (string, error) {
		access := *s.access
		access.ContentType = "application/vnd.kubernetes.protobuf"
		access.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
		secrets := kubernetes.NewForConfigOrDie(&access).CoreV1().Secrets(s.namespace)
		made, err := secrets.Create(s.ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "proto"}, StringData: map[string]string{"k": "v"}}, metav1.CreateOptions{})
		if err != nil {
			return "", err
		}
		watch, err := secrets.Watch(s.ctx, metav1.ListOptions{FieldSelector: "metadata.name=proto", ResourceVersion: made.ResourceVersion})
		if err != nil {
			return "", err
		}
		defer watch.Stop()
		made.Data["k"] = []byte("w")
		if _, err := secrets.Update(s.ctx, made, metav1.UpdateOptions{}); err != nil {
			return "", err
		}
		select {
		case event := <-watch.ResultChan():
			return fmt.Sprint(event.Type, " ", string(event.Object.(*corev1.Secret).Data["k"]), " ", made.Type), nil
		case <-time.After(5 * time.Second):
			return "", fmt.Errorf("no event within 5 s")
		}
	}},
	{"a watch begins with what is there, and says when that was all", func(s *session) (string, error) {
		yes := true
		watch, err := kubernetes.NewForConfigOrDie(s.access).CoreV1().ConfigMaps(s.namespace).Watch(s.ctx, metav1.ListOptions{
			LabelSelector: "page=yes", SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		})
		if err != nil {
			return "", err
		}
		defer watch.Stop()
		var seen []string
		for {
			select {
			case event := <-watch.ResultChan():
				object := event.Object.(*corev1.ConfigMap)
				seen = append(seen, fmt.Sprint(event.Type, " ", object.Name, object.Annotations))
				if event.Type == "BOOKMARK" {
					slices.Sort(seen)
					return fmt.Sprint(seen), nil
				}
			case <-time.After(5 * time.Second):
				return "", fmt.Errorf("no bookmark within 5 s, only %v", seen)
			}
		}
	}},
	{"metadata alone", func(s *session) (string, error) {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(groupVersion.WithKind("WidgetList"))
		if err := s.List(s.ctx, list, client.InNamespace(s.namespace)); err != nil {
			return "", err
		}
		var seen []string
		for _, item := range list.Items {
			seen = append(seen, fmt.Sprint(item.Kind, item.Name, item.Finalizers))
		}
		return fmt.Sprint(seen), nil
	}},
	{"field managers are told apart", func(s *session) (string, error) {
		widget := &Widget{}
		if err := s.Get(s.ctx, s.key("two"), widget); err != nil {
			return "", err
		}
		child := &corev1.ConfigMap{}
		if err := s.Get(s.ctx, s.key("two-data"), child); err != nil {
			return "", err
		}
		return describeManagers(widget.ManagedFields) + " / " + describeManagers(child.ManagedFields), nil
	}},
	{"a collection is deleted", func(s *session) (string, error) {
		if err := s.DeleteAllOf(s.ctx, &corev1.ConfigMap{}, client.InNamespace(s.namespace), client.MatchingLabels{"page": "yes"}); err != nil {
			return "", err
		}
		list := &corev1.ConfigMapList{}
		err := s.List(s.ctx, list, client.InNamespace(s.namespace), client.MatchingLabels{"page": "yes"})
		return fmt.Sprint(len(list.Items)), err
	}},
	{"the lease is released and taken over", func(s *session) (string, error) {
		if err := s.stop(); err != nil {
			return "", err
		}
		lease := &coordination.Lease{}
		if err := s.Get(s.ctx, s.key("widget-operator"), lease); err != nil {
			return "", err
		}
		released := fmt.Sprintf("held %t", *lease.Spec.HolderIdentity != "")
		stop, err := s.startManager()
		if err != nil {
			return "", err
		}
		s.stop = stop
		err = s.Get(s.ctx, s.key("widget-operator"), lease)
		return fmt.Sprintf("%s, then held %t, transitions %d", released, *lease.Spec.HolderIdentity != "", *lease.Spec.LeaseTransitions), err
	}},
	{"a deleted widget waits for its finalizer and goes", func(s *session) (string, error) {
		for _, name := range []string{"one", "two"} {
			if err := s.Delete(s.ctx, &Widget{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace}}, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
				return "", err
			}
			err := within(10*time.Second, func() error {
				err := s.Get(s.ctx, s.key(name), &Widget{})
				if err == nil {
					return fmt.Errorf("%s is still there", name)
				}
				return client.IgnoreNotFound(err)
			})
			if err != nil {
				return "", err
			}
		}
		err := s.Get(s.ctx, s.key("two-finalized"), &corev1.ConfigMap{})
		return "gone, finalized", err
	}},
	{"the manager ends cleanly, and with the definition go its objects", func(s *session) (string, error) {
		if err := s.stop(); err != nil {
			return "", err
		}
		if err := s.Delete(s.ctx, widgetDefinition()); err != nil {
			return "", err
		}
		err := within(10*time.Second, func() error {
			err := s.List(s.ctx, &WidgetList{}, client.InNamespace(s.namespace))
			if err == nil {
				return fmt.Errorf("still served")
			}
			return client.IgnoreNotFound(err)
		})
		return "gone", err
	}},
}

// settled waits until the operator has said that the widget is of that size, and describes widget and child.
func (s *session) settled(name string, size int32) (string, error) {
	widget, child := &Widget{}, &corev1.ConfigMap{}
	err := within(10*time.Second, func() error {
		if err := s.Get(s.ctx, s.key(name), widget); err != nil {
			return err
		}
		if widget.Status.Size != size || widget.Status.ObservedGeneration != widget.Generation {
			return fmt.Errorf("status is %+v at generation %d", widget.Status, widget.Generation)
		}
		return s.Get(s.ctx, s.key(name+"-data"), child)
	})
	if err != nil {
		return "", err
	}
	condition := meta.FindStatusCondition(widget.Status.Conditions, "Ready")
	owner := metav1.GetControllerOf(child)
	return fmt.Sprint(widget.Spec.Colour, " ", widget.Finalizers, " generation ", widget.Generation, " ", condition.Status, " ", condition.Message, " ", child.Data, " owned ", owner.UID == widget.UID), nil
}

// sortedCauses tells why something was refused; upstream's own order of causes is that of a Go map.
func sortedCauses(err error) (string, error) {
	status := apierrors.APIStatus(nil)
	if !errors.As(err, &status) || status.Status().Details == nil {
		return refusal(err)
	}
	var causes []string
	for _, cause := range status.Status().Details.Causes {
		causes = append(causes, fmt.Sprint(cause.Type, " ", cause.Field, " ", cause.Message))
	}
	slices.Sort(causes)
	return fmt.Sprint(status.Status().Code, " ", status.Status().Reason, " ", strings.Join(causes, ", ")), nil
}

func (s *session) applySize(manager, size string) error {
	object := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "one-data", "namespace": s.namespace}, "data": map[string]any{"size": size}}
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one-data", Namespace: s.namespace}}
	return s.Patch(s.ctx, child, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner(manager))
}

func describeManagers(entries []metav1.ManagedFieldsEntry) string {
	var seen []string
	for _, entry := range entries {
		seen = append(seen, fmt.Sprintf("%s %s %s %s", entry.Manager, entry.Operation, entry.Subresource, entry.FieldsV1.Raw))
	}
	slices.Sort(seen)
	return strings.Join(seen, ", ")
}
