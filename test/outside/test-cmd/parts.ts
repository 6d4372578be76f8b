// The parts of upstream's test-cmd, in upstream's order (test/cmd/legacy-script.sh, runTests). One
// name is one function `run_NAME_tests`; `api_resources`, `auth_can_i` and `auth_reconcile` are
// passages between them. The last two are functions that upstream wrote and does not call. Left out
// is a third of these, `kubectl_response_compression`, which fails on every server: it wants a
// namespace without config maps, and kube-controller-manager puts one in each.

/** Part by part, grouped as upstream's files group them. */
export const parts: readonly string[] = `
  kubectl_version kubectl_results kubectl_config_set kubectl_config_set_cluster kubectl_config_set_credentials kubectl_local_proxy
  RESTMapper_evaluation api_resources clusterroles role assert_short_name assert_singular_name ambiguous_shortname
  explain_crd_with_additional_properties assert_categories pod save_config kubectl_create_error kubectl_apply kubectl_server_side_apply
  kubectl_run kubectl_create_filter kubectl_apply_deployments kubectl_diff kubectl_diff_same_names kubectl_get kubectl_help kubectl_events
  kubectl_exec_pod kubectl_exec_resource_name create_secret kubectl_create_kustomization_directory kubectl_create_validate convert
  kubectl_delete_allnamespaces kubectl_delete_interactive kubectl_request_timeout crd recursive_resources namespace secrets configmap
  client_config service_accounts job create_job pod_templates service daemonset daemonset_history rc deployment rs stateful_set
  statefulset_history lists multi_resources persistent_volumes persistent_volume_claims storage_class nodes exec_credentials
  exec_credentials_interactive kubectl_auth_whoami authorization auth_can_i auth_reconcile retrieve_multiple resource_aliasing
  kubectl_explain crd_deletion_recreation swagger kubectl_sort_by kubectl_all_namespace deprecated_api template_output certificates
  cluster_management plugins impersonation wait kubectl_debug kubectl_debug_legacy kubectl_debug_baseline kubectl_debug_restricted
  kubectl_debug_netadmin kubectl_debug_custom_profile kubectl_debug_warning kubectl_debug_node kubectl_debug_legacy_node
  kubectl_debug_baseline_node kubectl_debug_restricted_node kubectl_debug_netadmin_node kuberc kubectl_scale
  kubectl_create_dry_run kubeconfig_impersonate
`
  .trim()
  .split(/\s+/);
