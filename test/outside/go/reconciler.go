package main

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const (
	finalizer = "outside.example.com/widget"
	manager   = "widget-operator"
)

// A widget owns a config map that says its size; deletion leaves a mark for the test to find.
type widgetReconciler struct {
	client.Client
	recorder events.EventRecorder
}

func (r *widgetReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&Widget{}).Owns(&corev1.ConfigMap{}).Complete(r)
}

func (r *widgetReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := &Widget{}
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.finalize(ctx, widget)
	}
	if controllerutil.AddFinalizer(widget, finalizer) {
		return ctrl.Result{}, r.Update(ctx, widget)
	}
	if err := r.applyChild(ctx, widget); err != nil {
		return ctrl.Result{}, fmt.Errorf("apply the child of %s: %w", widget.Name, err)
	}
	return ctrl.Result{}, r.updateStatus(ctx, widget)
}

func (r *widgetReconciler) applyChild(ctx context.Context, widget *Widget) error {
	owner := applymeta.OwnerReference().WithAPIVersion(groupVersion.String()).WithKind("Widget").
		WithName(widget.Name).WithUID(widget.UID).WithController(true).WithBlockOwnerDeletion(true)
	child := applycore.ConfigMap(widget.Name+"-data", widget.Namespace).WithLabels(map[string]string{"widget": widget.Name}).WithOwnerReferences(owner).
		WithData(widget.Spec.Data).WithData(map[string]string{"size": strconv.Itoa(int(widget.Spec.Size))})
	return r.Apply(ctx, child, client.FieldOwner(manager), client.ForceOwnership)
}

func (r *widgetReconciler) updateStatus(ctx context.Context, widget *Widget) error {
	before := widget.DeepCopy()
	widget.Status.ObservedGeneration = widget.Generation
	widget.Status.Size = widget.Spec.Size
	widget.Status.Selector = "widget=" + widget.Name
	changed := meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Applied", Message: fmt.Sprintf("size %d", widget.Spec.Size), ObservedGeneration: widget.Generation,
	})
	if !changed && before.Status.ObservedGeneration == widget.Generation {
		return nil
	}
	if err := r.Status().Patch(ctx, widget, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return err
	}
	r.recorder.Eventf(widget, nil, corev1.EventTypeNormal, "Applied", "Apply", "size is %d", widget.Spec.Size)
	return nil
}

func (r *widgetReconciler) finalize(ctx context.Context, widget *Widget) error {
	if !controllerutil.ContainsFinalizer(widget, finalizer) {
		return nil
	}
	mark := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: widget.Name + "-finalized", Namespace: widget.Namespace}}
	if err := client.IgnoreAlreadyExists(r.Create(ctx, mark)); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(widget, finalizer)
	return client.IgnoreNotFound(r.Update(ctx, widget))
}
