{{- define "rostrum.name" -}}
{{- contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* What selects the pods of a role; (list . "web"). A release never changes it. */}}
{{- define "rostrum.selector" -}}
{{- $ := index . 0 -}}
app.kubernetes.io/name: {{ $.Chart.Name }}
app.kubernetes.io/instance: {{ $.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "rostrum.labels" -}}
{{- $ := index . 0 -}}
{{ include "rostrum.selector" . }}
app.kubernetes.io/version: {{ $.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service }}
helm.sh/chart: {{ $.Chart.Name }}-{{ $.Chart.Version }}
{{- end }}

{{- define "rostrum.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* Who a pod is: nobody with rights, and without a word to the cluster's own API. */}}
{{- define "rostrum.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "rostrum.container" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* What may be written: nothing in it outlives the pod, the store is PostgreSQL. */}}
{{- define "rostrum.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: data, mountPath: /data }
{{- end }}

{{- define "rostrum.volumes" -}}
- { name: tmp, emptyDir: {} }
- { name: data, emptyDir: {} }
{{- end }}

{{/* Of a container of the service; (list . "name of the chart's own Secret"). */}}
{{- define "rostrum.env" -}}
{{- $ := index . 0 -}}
{{- $own := index . 1 -}}
envFrom:
  - secretRef: { name: {{ $.Values.existingSecret | default $own }} }
env:
  - name: ROSTRUM_BASE_URL
    value: {{ $.Values.baseUrl | quote }}
  - name: DATABASE_URL
    valueFrom:
      secretKeyRef: { name: {{ $.Values.database.existingSecret | default (printf "%s-database" $own) }}, key: {{ empty $.Values.database.existingSecret | ternary "uri" $.Values.database.key }} }
{{- with $.Values.nats.url | default (and $.Values.nats.enabled (printf "nats://%s-nats:4222" (include "rostrum.name" $))) }}
  - name: NATS_URL
    value: {{ . | quote }}
{{- end }}
{{- range $name, $value := $.Values.settings }}
  - name: {{ $name }}
    value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{/* The Secrets of the chart; (list . "name" "annotations"). */}}
{{- define "rostrum.secrets" -}}
{{- $ := index . 0 -}}
{{- $name := index . 1 -}}
{{- if not $.Values.existingSecret }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ $name }}
  labels: {{- include "rostrum.labels" (list $ "settings") | nindent 4 }}
  annotations: {{- index . 2 | nindent 4 }}
stringData:
  {{- $_ := required "secrets.ROSTRUM_SECRET: every process must sign with the same one (openssl rand -base64 48), or name an existingSecret that holds it" $.Values.secrets.ROSTRUM_SECRET }}
  {{- range $key, $value := $.Values.secrets }}
  {{ $key }}: {{ $value | toString | quote }}
  {{- end }}
{{- end }}
{{- if not $.Values.database.existingSecret }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ $name }}-database
  labels: {{- include "rostrum.labels" (list $ "settings") | nindent 4 }}
  annotations: {{- index . 2 | nindent 4 }}
stringData:
  uri: {{ $.Values.database.url | quote }}
{{- end }}
{{- end }}
