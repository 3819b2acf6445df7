//! Which of the fields that are published as required the server demands.
//!
//! Published is what Go cannot leave out when it writes. The server demands most texts, lists and maps among them, and
//! takes an empty one for an absent one. Numbers and booleans are never absent for it: zero is a value. One table has
//! the exceptions: what the server does not miss, and what a rule reports in other words. The other has what is published
//! as optional and demanded all the same.

use trueline_kube_api::{Field, Type};

/// Definitions and those of their fields that are not `Required value` when they are missing.
static EXCEPTIONS: &[(&str, &[&str])] = &[
    ("apiextensions.CustomResourceColumnDefinition", &["name", "type", "jsonPath"]),
    ("apiextensions.CustomResourceConversion", &["strategy"]),
    ("apiextensions.CustomResourceDefinitionNames", &["plural", "kind"]),
    ("apiextensions.CustomResourceDefinitionSpec", &["group", "scope", "versions"]),
    ("apiextensions.CustomResourceDefinitionVersion", &["name"]),
    ("apiextensions.CustomResourceSubresourceScale", &["specReplicasPath", "statusReplicasPath"]),
    ("apiextensions.SelectableField", &["jsonPath"]),
    ("apiextensions.ServiceReference", &["namespace", "name"]),
    ("apiextensions.ValidationRule", &["rule"]),
    ("apiextensions.WebhookConversion", &["conversionReviewVersions"]),
    ("admissionregistration.AuditAnnotation", &["key", "valueExpression"]),
    ("admissionregistration.MatchCondition", &["name", "expression"]),
    ("admissionregistration.ServiceReference", &["name", "namespace"]),
    ("admissionregistration.MutatingWebhook", &["name", "sideEffects", "admissionReviewVersions"]),
    ("admissionregistration.ValidatingWebhook", &["name", "sideEffects", "admissionReviewVersions"]),
    ("admissionregistration.Validation", &["expression"]),
    ("admissionregistration.ValidatingAdmissionPolicyBindingSpec", &["policyName", "validationActions"]),
    ("admissionregistration.Variable", &["name", "expression"]),
    ("apps.DaemonSetSpec", &["selector"]),
    ("apps.StatefulSetSpec", &["serviceName"]),
    ("apiserverinternal.StorageVersion", &["spec", "status"]),
    ("authorization.NonResourceRule", &["verbs"]),
    ("authorization.ResourceRule", &["verbs"]),
    ("autoscaling.HPAScalingPolicy", &["type"]),
    ("autoscaling.MetricIdentifier", &["name"]),
    ("autoscaling.MetricSpec", &["type"]),
    ("autoscaling.MetricTarget", &["type"]),
    ("batch.PodFailurePolicy", &["rules"]),
    ("batch.PodFailurePolicyOnExitCodesRequirement", &["operator", "values"]),
    ("batch.PodFailurePolicyOnPodConditionsPattern", &["type", "status"]),
    ("batch.PodFailurePolicyRule", &["action"]),
    ("batch.SuccessPolicy", &["rules"]),
    ("certificates.CertificateSigningRequestSpec", &["request"]),
    ("certificates.ClusterTrustBundleSpec", &["trustBundle"]),
    ("certificates.PodCertificateRequestSpec", &["pkixPublicKey", "proofOfPossession"]),
    ("coordination.LeaseCandidateSpec", &["preferredStrategies"]),
    ("core.AppArmorProfile", &["type"]),
    ("core.AttachedVolume", &["name", "devicePath"]),
    ("core.ConfigMapNodeConfigSource", &["namespace", "name", "kubeletConfigKey"]),
    ("core.ContainerResizePolicy", &["resourceName", "restartPolicy"]),
    ("core.ContainerRestartRule", &["action"]),
    ("core.ContainerRestartRuleOnExitCodes", &["operator"]),
    ("core.DownwardAPIVolumeFile", &["path"]),
    ("core.EndpointAddress", &["ip"]),
    ("core.GCEPersistentDiskVolumeSource", &["pdName"]),
    ("core.HTTPHeader", &["name", "value"]),
    ("core.HostAlias", &["ip"]),
    ("core.LimitRangeItem", &["type"]),
    ("core.LimitRangeSpec", &["limits"]),
    ("core.NodeSelector", &["nodeSelectorTerms"]),
    ("core.NodeSelectorRequirement", &["key", "operator"]),
    ("core.ObjectFieldSelector", &["fieldPath"]),
    ("core.PodAffinityTerm", &["topologyKey"]),
    ("core.PodCertificateProjection", &["keyType"]),
    ("core.PodOS", &["name"]),
    ("core.PodReadinessGate", &["conditionType"]),
    ("core.PodSchedulingGate", &["name"]),
    ("core.QuobyteVolumeSource", &["registry"]),
    ("core.ResourceClaim", &["name"]),
    ("core.ResourceFieldSelector", &["resource"]),
    ("core.ScaleIOPersistentVolumeSource", &["secretRef"]),
    ("core.ScaleIOVolumeSource", &["secretRef"]),
    ("core.ScopedResourceSelectorRequirement", &["scopeName", "operator"]),
    ("core.SeccompProfile", &["type"]),
    ("core.ServiceAccountTokenProjection", &["path"]),
    ("core.Sysctl", &["value"]),
    ("core.Taint", &["key", "effect"]),
    ("core.TopologySelectorLabelRequirement", &["key"]),
    ("core.TopologySpreadConstraint", &["topologyKey", "whenUnsatisfiable"]),
    ("discovery.Endpoint", &["addresses"]),
    ("discovery.EndpointSlice", &["endpoints"]),
    ("discovery.ForNode", &["name"]),
    ("discovery.ForZone", &["name"]),
    ("flowcontrol.FlowDistinguisherMethod", &["type"]),
    ("flowcontrol.LimitResponse", &["type"]),
    ("flowcontrol.NonResourcePolicyRule", &["verbs", "nonResourceURLs"]),
    ("flowcontrol.PriorityLevelConfigurationReference", &["name"]),
    ("flowcontrol.PriorityLevelConfigurationSpec", &["type"]),
    ("flowcontrol.ServiceAccountSubject", &["namespace"]),
    ("flowcontrol.ResourcePolicyRule", &["verbs", "apiGroups", "resources"]),
    ("flowcontrol.Subject", &["kind"]),
    ("flowcontrol.PolicyRulesWithSubjects", &["subjects"]),
    ("meta.Condition", &["type", "status", "reason", "message", "lastTransitionTime"]),
    ("meta.FieldSelectorRequirement", &["key", "operator"]),
    ("meta.GroupResource", &["group"]),
    ("meta.LabelSelectorRequirement", &["key", "operator"]),
    ("meta.OwnerReference", &["apiVersion", "kind", "name", "uid"]),
    ("networking.HTTPIngressPath", &["pathType"]),
    ("node.RuntimeClass", &["handler"]),
    ("rbac.PolicyRule", &["verbs"]),
    ("rbac.RoleRef", &["apiGroup", "kind"]),
    ("rbac.Subject", &["kind"]),
    ("resource.CELDeviceSelector", &["expression"]),
    ("resource.Device", &["name"]),
    ("resource.DeviceRequest", &["name"]),
    ("resource.DeviceSubRequest", &["name"]),
    ("scheduling.WorkloadSpec", &["podGroups"]),
    ("storage.CSINodeSpec", &["drivers"]),
    ("storage.CSIStorageCapacity", &["storageClassName"]),
    ("storage.TokenRequest", &["audience"]),
    ("storage.VolumeAttachmentSpec", &["nodeName"]),
];

/// Definitions and those of their fields that are published as optional, and demanded all the same.
static DEMANDED: &[(&str, &[&str])] = &[
    ("admissionregistration.MutatingAdmissionPolicyBindingSpec", &["policyName"]),
    ("admissionregistration.MutatingAdmissionPolicySpec", &["reinvocationPolicy"]),
    ("admissionregistration.ParamKind", &["apiVersion", "kind"]),
    ("core.ScaleIOPersistentVolumeSource", &["volumeName"]),
    ("core.ScaleIOVolumeSource", &["volumeName"]),
    ("core.StorageOSPersistentVolumeSource", &["volumeName"]),
    ("core.StorageOSVolumeSource", &["volumeName"]),
];

/// The fields of a definition that must not be absent: those where empty is as bad, and those where it is not.
pub(super) fn of(definition: &str, fields: &[Field]) -> (Vec<&'static str>, Vec<&'static str>) {
    let of = |table: &'static [(&str, &'static [&str])]| {
        table.iter().find(|(name, _)| *name == definition).map_or(&[][..], |(_, fields)| fields)
    };
    let (exceptions, besides) = (of(EXCEPTIONS), of(DEMANDED));
    let demanded = || {
        fields.iter().filter(|field| {
            (field.is_required && !exceptions.contains(&field.name)) || besides.contains(&field.name)
        })
    };
    let can_be_empty =
        |field: &&Field| matches!(field.r#type, Type::String | Type::List(..) | Type::Map(_) | Type::Bytes);
    // What is not a struct in Go but a pointer to one can be missed as well.
    let is_pointer = |field: &&Field| matches!(field.r#type, Type::Object(_)) && !field.is_embedded;
    let names = |field: &Field| field.name;
    (demanded().filter(can_be_empty).map(names).collect(), demanded().filter(is_pointer).map(names).collect())
}

/// The names in the table.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = String> {
    EXCEPTIONS
        .iter()
        .chain(DEMANDED)
        .flat_map(|(definition, fields)| fields.iter().map(move |field| format!("{definition}.{field}")))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn what_the_server_does_not_miss_may_be_absent_or_empty() {
        let bench = Bench::new();
        bench.accepts(
            "apiVersion: storagemigration.k8s.io/v1beta1\nkind: StorageVersionMigration\nmetadata: {name: a}\n\
             spec: {resource: {group: \"\", resource: secrets}}\n",
        );
        bench.accepts(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a, image: a}]\n  \
             volumes: [{name: v, scaleIO: {gateway: \"https://x/api\", system: s, volumeName: v}}]\n",
        );
    }

    /// What is published as optional, and that the server demands all the same.
    #[test]
    fn what_the_server_demands_besides() {
        let bench = Bench::new();
        let pod = |volume: &str| {
            format!("v1 Pod\nspec: {{containers: [{{name: a, image: i}}], volumes: [{{name: v, {volume}}}]}}")
        };
        let container = |rest: &str| format!("v1 Pod\nspec: {{containers: [{{name: a, image: i, {rest}}}]}}");
        let volume = |source: &str| {
            format!(
                "v1 PersistentVolume\nspec: {{accessModes: [ReadWriteOnce], capacity: {{storage: 1Gi}}, {source}}}"
            )
        };
        let flow = |rest: &str| {
            format!(
                "flowcontrol.apiserver.k8s.io/v1 FlowSchema\nspec: {{priorityLevelConfiguration: {{name: p}}, matchingPrecedence: 2, rules: [{rest}]}}"
            )
        };
        let level = |rest: &str| {
            format!("flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration\nspec: {{{rest}}}")
        };
        let policy = |rest: &str| {
            format!("admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy\nspec: {{{rest}}}")
        };
        let rules = "matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}";
        let cases = [
            (pod("configMap: {}"), "spec.volumes[0].configMap.name: Required value"),
            (pod("secret: {}"), "spec.volumes[0].secret.secretName: Required value"),
            (pod("projected: {sources: [{configMap: {}}]}"), "spec.volumes[0].projected.sources[0].configMap.name: Required value"),
            (pod("projected: {sources: [{secret: {}}]}"), "spec.volumes[0].projected.sources[0].secret.name: Required value"),
            (pod("storageos: {}"), "spec.volumes[0].storageos.volumeName: Required value"),
            (pod("storageos: {volumeName: a, secretRef: {}}"), "spec.volumes[0].storageos.secretRef.name: Required value"),
            (pod("scaleIO: {gateway: g, system: s}"), "spec.volumes[0].scaleIO.volumeName: Required value"),
            (pod("cinder: {volumeID: a, secretRef: {}}"), "spec.volumes[0].cinder.secretRef.name: Required value"),
            (pod("flocker: {}"), "spec.volumes[0].flocker: Required value: one of datasetName and datasetUUID is required"),
            (pod("fc: {}"), "spec.volumes[0].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"),
            (pod("fc: {targetWWNs: [a]}"), "spec.volumes[0].fc.lun: Required value: lun is required if targetWWNs is specified"),
            (pod("ephemeral: {}"), "spec.volumes[0].ephemeral.volumeClaimTemplate: Required value"),
            (pod("persistentVolumeClaim: {}"), "spec.volumes[0].persistentVolumeClaim.claimName: Required value"),
            (pod("csi: {driver: a.b, nodePublishSecretRef: {}}"), "spec.volumes[0].csi.nodePublishSecretRef.name: Required value"),
            (pod("image: {}"), "spec.volumes[0].image.reference: Required value"),
            (pod("downwardAPI: {items: [{path: a}]}"), "spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required"),
            (pod("downwardAPI: {items: [{path: a, resourceFieldRef: {resource: limits.cpu}}]}"), "spec.volumes[0].downwardAPI.resourceFieldRef.containerName: Required value"),
            (container("envFrom: [{configMapRef: {}}]"), "spec.containers[0].envFrom[0].configMapRef.name: Required value"),
            (container("envFrom: [{secretRef: {}}]"), "spec.containers[0].envFrom[0].secretRef.name: Required value"),
            (container("livenessProbe: {exec: {}}"), "spec.containers[0].livenessProbe.exec.command: Required value"),
            (container("livenessProbe: {}"), "spec.containers[0].livenessProbe: Required value: must specify a handler type"),
            ("v1 Pod\nspec: {}".to_owned(), "spec.containers: Required value"),
            ("v1 PodTemplate\ntemplate: {}".to_owned(), "template.spec.containers: Required value"),
            ("v1 ReplicationController\nspec: {selector: {a: b}}".to_owned(), "spec.template: Required value"),
            (volume(""), "spec: Required value: must specify a volume type"),
            ("v1 PersistentVolume\nspec: {capacity: {storage: 1Gi}, hostPath: {path: /a}}".to_owned(), "spec.accessModes: Required value"),
            ("v1 PersistentVolume\nspec: {accessModes: [ReadWriteOnce], hostPath: {path: /a}}".to_owned(), "spec.capacity: Required value"),
            (volume("local: {path: /a}"), "spec.nodeAffinity: Required value: Local volume requires node affinity"),
            (volume("hostPath: {path: /a}, nodeAffinity: {}"), "spec.nodeAffinity.required: Required value: must specify required node constraints"),
            (volume("storageos: {}"), "spec.storageos.volumeName: Required value"),
            (volume("scaleIO: {gateway: g, system: s, secretRef: {}}"), "spec.scaleIO.volumeName: Required value"),
            (volume("cinder: {volumeID: a, secretRef: {}}"), "spec.cinder.secretRef.name: Required value"),
            (volume("azureFile: {secretName: a, shareName: b, secretNamespace: ''}"), "spec.azureFile.secretNamespace: Required value"),
            (volume("iscsi: {targetPortal: a, iqn: iqn.2001-04.com.example, lun: 0, chapAuthDiscovery: true}"), "spec.iscsi.secretRef: Required value"),
            ("v1 PersistentVolumeClaim\nspec: {resources: {requests: {storage: 1Gi}}}".to_owned(), "spec.accessModes: Required value: at least 1 access mode is required"),
            ("v1 PersistentVolumeClaim\nspec: {accessModes: [ReadWriteOnce]}".to_owned(), "spec.resources[storage]: Required value"),
            ("v1 Service\nspec: {}".to_owned(), "spec.ports: Required value"),
            ("v1 Service\nspec: {type: ExternalName}".to_owned(), "spec.externalName: Required value"),
            ("v1 Service\nspec: {ports: [{port: 1}, {port: 2, name: b}]}".to_owned(), "spec.ports[0].name: Required value"),
            ("v1 Endpoints\nsubsets: [{ports: [{port: 1}]}]".to_owned(), "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"),
            ("v1 Endpoints\nsubsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 1}, {port: 2, name: b}]}]".to_owned(), "subsets[0].ports[0].name: Required value"),
            ("v1 Binding\ntarget: {kind: Node}".to_owned(), "target.name: Required value"),
            ("v1 Secret\ntype: kubernetes.io/basic-auth".to_owned(), "data[username]: Required value"),
            ("v1 Secret\ntype: kubernetes.io/ssh-auth".to_owned(), "data[ssh-privatekey]: Required value"),
            ("v1 Secret\ntype: kubernetes.io/tls".to_owned(), "data[tls.crt]: Required value"),
            ("v1 Secret\ntype: kubernetes.io/dockercfg".to_owned(), "data[.dockercfg]: Required value"),
            ("v1 Secret\ntype: kubernetes.io/service-account-token".to_owned(), "metadata.annotations[kubernetes.io/service-account.name]: Required value"),
            ("v1 ResourceQuota\nspec: {scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In}]}}".to_owned(), "spec.scopeSelector.matchExpressions.values: Required value"),
            ("apps/v1 ControllerRevision\nrevision: 1".to_owned(), "data: Required value: data is mandatory"),
            ("apps/v1 ControllerRevision\nrevision: 1\ndata: 1".to_owned(), "data: Required value: data must be a valid JSON object"),
            ("apps/v1 Deployment\nspec: {template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}}".to_owned(), "spec.selector: Required value"),
            ("batch/v1 CronJob\nspec: {jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}}}".to_owned(), "spec.schedule: Required value"),
            ("batch/v1 Job\nspec: {template: {spec: {containers: [{name: a, image: i}]}}}".to_owned(), "spec.template.spec.restartPolicy: Required value"),
            ("batch/v1 Job\nspec: {completionMode: Indexed, parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}".to_owned(), "spec.completions: Required value: when completion mode is Indexed"),
            ("networking.k8s.io/v1 IPAddress\nspec: {}".to_owned(), "spec.parentRef: Required value"),
            ("networking.k8s.io/v1 IPAddress\nspec: {parentRef: {name: a}}".to_owned(), "spec.parentRef.resource: Required value"),
            ("networking.k8s.io/v1 IPAddress\nspec: {parentRef: {resource: a}}".to_owned(), "spec.parentRef.name: Required value"),
            ("networking.k8s.io/v1 ServiceCIDR\nspec: {}".to_owned(), "spec.cidrs: Required value: at least one CIDR required"),
            ("networking.k8s.io/v1 IngressClass\nspec: {controller: a.b/c, parameters: {kind: A, name: b, scope: Namespace}}".to_owned(), "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"),
            ("networking.k8s.io/v1 Ingress\nspec: {defaultBackend: {service: {name: a}}}".to_owned(), "spec.defaultBackend: Required value: port name or number is required"),
            ("networking.k8s.io/v1 NetworkPolicy\nspec: {podSelector: {}, ingress: [{from: [{}]}]}".to_owned(), "spec.ingress[0].from[0]: Required value: must specify a peer"),
            ("rbac.authorization.k8s.io/v1 ClusterRole\nrules: []\naggregationRule: {}".to_owned(), "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil"),
            ("rbac.authorization.k8s.io/v1 Role\nrules: [{verbs: [get], resources: [pods]}]".to_owned(), "rules[0].apiGroups: Required value: resource rules must supply at least one api group"),
            ("rbac.authorization.k8s.io/v1 ClusterRoleBinding\nroleRef: {kind: ClusterRole, name: a, apiGroup: rbac.authorization.k8s.io}\nsubjects: [{kind: ServiceAccount, name: a}]".to_owned(), "subjects[0].namespace: Required value"),
            ("storage.k8s.io/v1 VolumeAttachment\nspec: {attacher: a, nodeName: b, source: {}}".to_owned(), "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName"),
            ("storage.k8s.io/v1 VolumeAttributesClass\ndriverName: a.b".to_owned(), "parameters: Required value: must contain at least one key/value pair"),
            ("coordination.k8s.io/v1beta1 LeaseCandidate\nspec: {leaseName: a, binaryVersion: 1.2.3, strategy: OldestEmulationVersion}".to_owned(), "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'"),
            ("autoscaling/v2 HorizontalPodAutoscaler\nspec: {maxReplicas: 1, scaleTargetRef: {kind: Deployment, name: a}, metrics: [{type: Resource}]}".to_owned(), "spec.metrics[0].resource: Required value: must populate information for the given metric source"),
            (flow("{subjects: [], resourceRules: [{verbs: [get], apiGroups: [''], resources: [pods], clusterScope: true}]}"), "spec.rules[0].subjects: Required value: subjects must contain at least one value"),
            (flow("{subjects: [{kind: User, user: {name: a}}]}"), "spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty"),
            (flow("{subjects: [{kind: User}], nonResourceRules: [{verbs: [get], nonResourceURLs: [/a]}]}"), "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'"),
            (flow("{subjects: [{kind: Group}], nonResourceRules: [{verbs: [get], nonResourceURLs: [/a]}]}"), "spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'"),
            (flow("{subjects: [{kind: ServiceAccount}], nonResourceRules: [{verbs: [get], nonResourceURLs: [/a]}]}"), "spec.rules[0].subjects[0].serviceAccount: Required value: serviceAccount is required when subject kind is 'ServiceAccount'"),
            (flow("{subjects: [{kind: User, user: {name: a}}], resourceRules: [{verbs: [get], apiGroups: [''], resources: [pods]}]}"), "spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace"),
            (flow("{subjects: [{kind: User, user: {name: a}}], resourceRules: [{apiGroups: [''], resources: [pods], clusterScope: true}]}"), "spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value"),
            (flow("{subjects: [{kind: User, user: {name: a}}], nonResourceRules: [{verbs: [get]}]}"), "spec.rules[0].nonResourceRules[0].nonResourceURLs: Required value: nonResourceURLs must contain at least one value"),
            (level("type: Limited"), "spec.limited: Required value: must not be empty when type is Limited"),
            (level("type: Limited, limited: {limitResponse: {type: Queue}}"), "spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited"),
            (policy("validations: [{expression: 'true'}]"), "spec.matchConstraints: Required value"),
            (policy("matchConstraints: {}, validations: [{expression: 'true'}]"), "spec.matchConstraints.resourceRules: Required value"),
            ("admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding\nspec: {validationActions: [Deny]}".to_owned(), "spec.policyName: Required value"),
            ("admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding\nspec: {policyName: a.b}".to_owned(), "spec.validationActions: Required value: at least one validation action is required"),
            ("admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding\nspec: {policyName: a.b, validationActions: [Deny], paramRef: {parameterNotFoundAction: Deny}}".to_owned(), "spec.paramRef: Required value: one of name or selector must be specified"),
            ("admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding\nspec: {policyName: a.b, validationActions: [Deny], paramRef: {name: a}}".to_owned(), "spec.paramRef.parameterNotFoundAction: Required value"),
            (policy(&format!("{rules}, paramKind: {{}}, validations: [{{expression: 'true'}}]")), "spec.paramKind.apiVersion: Required value"),
            ("admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration\nwebhooks: [{name: a.b.c, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {}}]".to_owned(), "webhooks[0].clientConfig: Required value: exactly one of url or service is required"),
            ("admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicyBinding\nspec: {}".to_owned(), "spec.policyName: Required value"),
            ("admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy\nspec: {reinvocationPolicy: Never, mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: \"a\"}]'}}]}".to_owned(), "spec.matchConstraints: Required value"),
            (format!("admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy\nspec: {{{rules}, reinvocationPolicy: Never}}"), "spec.mutations: Required value: mutations must contain at least one item"),
            (format!("admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy\nspec: {{{rules}, mutations: [{{patchType: JSONPatch, jsonPatch: {{expression: '[JSONPatch{{op: \"a\"}}]'}}}}]}}"), "spec.reinvocationPolicy: Required value"),
            (format!("admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy\nspec: {{{rules}, reinvocationPolicy: Never, mutations: [{{patchType: JSONPatch}}]}}"), "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch"),
            ("events.k8s.io/v1 Event\nregarding: {kind: Pod, namespace: default}\ntype: Normal".to_owned(), "eventTime: Required value"),
            ("events.k8s.io/v1 Event\nregarding: {kind: Pod, namespace: default}\ntype: Normal\neventTime: '2026-01-01T00:00:00.000000Z'\nreportingController: a.b/c\nreportingInstance: a\nreason: b".to_owned(), "action: Required value"),
            ("authorization.k8s.io/v1 SelfSubjectAccessReview\nspec: {}".to_owned(), "spec.resourceAttributes: Invalid value"),
            ("authorization.k8s.io/v1 SubjectAccessReview\nspec: {resourceAttributes: {verb: get}}".to_owned(), "spec.user: Invalid value: \"\": at least one of user or group must be specified"),
            ("storagemigration.k8s.io/v1beta1 StorageVersionMigration\nspec: {resource: {group: a}}".to_owned(), "spec.resource.resource: Required value"),
            ("storage.k8s.io/v1 CSIStorageCapacity\nmaximumVolumeSize: 1Gi".to_owned(), "storageClassName: Invalid value: \"\""),
            ("discovery.k8s.io/v1 EndpointSlice\naddressType: IPv4\nendpoints: [{addresses: []}]".to_owned(), "endpoints[0].addresses: Required value: must contain at least 1 address"),
        ];
        let mut missing = Vec::new();
        for (text, expected) in &cases {
            let (head, rest) = text.split_once('\n').unwrap();
            let (api_version, kind) = head.split_once(' ').unwrap();
            let name = if kind == "IPAddress" { "10.0.0.1" } else { "a.b" };
            let name = if matches!(kind, "Service" | "PersistentVolumeClaim") { "ab" } else { name };
            let metadata =
                if api_version.starts_with("authorization") { "" } else { "metadata: {name: NAME}\n" };
            let text = format!(
                "apiVersion: {api_version}\nkind: {kind}\n{}{rest}\n",
                metadata.replace("NAME", name)
            );
            let errors = bench.errors(&text);
            if !errors.iter().any(|error| error.starts_with(expected)) {
                missing.push(format!("{expected}\n  {errors:?}\n  {text}"));
            }
        }
        assert!(missing.is_empty(), "{} of {}\n{}", missing.len(), cases.len(), missing.join("\n"));
    }
}
