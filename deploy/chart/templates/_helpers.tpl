{{- define "touchstone.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "touchstone.labels" -}}
{{ include "touchstone.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "touchstone.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "touchstone.config" -}}
touchstone.config.json: {{ toJson .Values.config | quote }}
{{- end }}

{{/* What every pod has. Takes a dict: root, config (name of the ConfigMap). */}}
{{- define "touchstone.pod" -}}
automountServiceAccountToken: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
securityContext: {{ toJson .root.Values.podSecurityContext }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- with .root.Values.affinity }}
affinity: {{ toJson . }}
{{- end }}
volumes:
  - name: config
    configMap: { name: {{ .config }} }
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
{{- with .root.Values.signingKeySecret }}
  - name: signing-key
    secret: { secretName: {{ . }}, items: [{ key: signing-key.pem, path: signing-key.pem }] }
{{- end }}
{{- with .root.Values.volumes }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{/* What every container has. Takes a dict: root, secret. */}}
{{- define "touchstone.container" -}}
image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext: {{ toJson .root.Values.securityContext }}
envFrom:
  - secretRef: { name: {{ .secret }} }
{{- with .root.Values.env }}
env: {{ toJson . }}
{{- end }}
volumeMounts:
  - { name: config, mountPath: /etc/touchstone/touchstone.config.json, subPath: touchstone.config.json, readOnly: true }
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- if .root.Values.signingKeySecret }}
  - { name: signing-key, mountPath: /data/signing-key.pem, subPath: signing-key.pem, readOnly: true }
{{- end }}
{{- with .root.Values.volumeMounts }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{- define "touchstone.probes" -}}
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}
