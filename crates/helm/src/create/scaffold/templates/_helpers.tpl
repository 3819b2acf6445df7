{{/*
A name as Kubernetes takes it: small letters, digits and dashes, 63 of them at most.
*/}}
{{- define "<CHARTNAME>.plain" -}}
{{- . | lower | replace "." "-" | replace "_" "-" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/*
The name of the chart.
*/}}
{{- define "<CHARTNAME>.name" -}}
{{- include "<CHARTNAME>.plain" (.Values.nameOverride | default .Chart.Name) }}
{{- end }}

{{/*
The name of everything that is installed: the release, with the chart's name behind it unless it is part of it.
*/}}
{{- define "<CHARTNAME>.fullname" -}}
{{- $name := include "<CHARTNAME>.name" . -}}
{{- $fullname := .Release.Name -}}
{{- if not (contains $name .Release.Name) -}}
{{- $fullname = printf "%s-%s" .Release.Name $name -}}
{{- end -}}
{{- include "<CHARTNAME>.plain" (.Values.fullnameOverride | default $fullname) }}
{{- end }}

{{/*
The labels by which pods are found. They cannot be changed once something is installed.
*/}}
{{- define "<CHARTNAME>.selectorLabels" -}}
app.kubernetes.io/name: {{ include "<CHARTNAME>.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/*
The labels of everything.
*/}}
{{- define "<CHARTNAME>.labels" -}}
{{ include "<CHARTNAME>.selectorLabels" . }}
{{- with .Chart.AppVersion }}
app.kubernetes.io/version: {{ . | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/*
The account that pods run under.
*/}}
{{- define "<CHARTNAME>.serviceAccountName" -}}
{{- $own := ternary (include "<CHARTNAME>.fullname" .) "default" .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default $own }}
{{- end }}
