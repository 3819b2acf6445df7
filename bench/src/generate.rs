//! Inputs that look like the real thing and are the same each time.

use std::fmt::Write as _;

/// Kubernetes manifests of at least so many bytes.
pub(crate) fn manifests(size: usize) -> String {
    let mut text = String::with_capacity(size + 2_000);
    let mut number = 0;
    while text.len() < size {
        if number > 0 {
            text.push_str("---\n");
        }
        let _ = match number % 3 {
            0 => write_deployment(&mut text, number),
            1 => write_service(&mut text, number),
            _ => write_config_map(&mut text, number),
        };
        number += 1;
    }
    text
}

fn write_deployment(text: &mut String, number: usize) -> std::fmt::Result {
    write!(
        text,
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: frontend-{number}
  namespace: shop
  labels:
    app.kubernetes.io/name: frontend
    app.kubernetes.io/instance: "shop-{number}"
  annotations:
    example.com/checksum: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a{number:02}"
spec:
  replicas: {replicas}  # raised in the evening
  selector:
    matchLabels: {{app: frontend, tier: "web"}}
  template:
    metadata:
      labels:
        app: frontend
        tier: web
    spec:
      # The order of containers is that of their start.
      containers:
        - name: server
          image: registry.example.com/shop/frontend:1.{number}.0
          imagePullPolicy: IfNotPresent
          args: ["--listen", ":8080", '--log-level=info']
          ports:
            - name: http
              containerPort: 8080
              protocol: TCP
          env:
            - name: BACKEND_URL
              value: http://backend.shop.svc.cluster.local:{port}/api
            - name: GREETING
              value: 'it''s a "test"'
            - name: TOKEN
              valueFrom:
                secretKeyRef:
                  name: frontend-token
                  key: token
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              memory: 256Mi
          readinessProbe:
            httpGet:
              path: /healthz
              port: http
            initialDelaySeconds: 5
            periodSeconds: 10
      terminationGracePeriodSeconds: 30
"#,
        replicas = number % 7 + 1,
        port = 8000 + number % 1000,
    )
}

fn write_service(text: &mut String, number: usize) -> std::fmt::Result {
    write!(
        text,
        r#"apiVersion: v1
kind: Service
metadata:
  name: frontend-{number}
  namespace: shop
spec:
  type: ClusterIP
  selector:
    app: frontend
    tier: web
  ports:
  - name: http
    port: 80
    targetPort: 8080
  - name: metrics
    port: {port}
    targetPort: metrics
"#,
        port = 9000 + number % 1000,
    )
}

fn write_config_map(text: &mut String, number: usize) -> std::fmt::Result {
    write!(
        text,
        r#"apiVersion: v1
kind: ConfigMap
metadata:
  name: frontend-{number}
  namespace: shop
data:
  motd: >-
    Welcome to shop number {number}, please
    mind the gap between the trolley and the shelf.
  enabled: "true"
  ratio: "0.{number}"
  nginx.conf: |
    worker_processes auto;
    events {{ worker_connections 1024; }}
    http {{
      server {{
        listen 8080;
        location / {{
          proxy_pass http://127.0.0.1:{port};
          proxy_set_header Host $host;
        }}
      }}
    }}
"#,
        port = 3000 + number % 1000,
    )
}

/// The manifest of an extension.
pub(crate) fn extension(number: usize) -> String {
    format!(
        r#"metadata:
  name: tool-{number}
  version: 1.{number}.0
  description: Command-line tool number {number} for the benchmark
  category: devops
  homepage: https://example.com/tools/{number}

requirements:
  domains:
    - github.com
    - objects.githubusercontent.com
  diskSpace: 120
  memory: 256
  installTime: 30

install:
  method: script
  script:
    path: scripts/install.sh
    timeout: 300

validate:
  commands:
    - name: tool-{number}
      versionFlag: --version
      expectedPattern: v\d+\.\d+\.\d+

remove:
  confirmation: false
  paths:
    - ~/.local/bin/tool-{number}

bom:
  tools:
    - name: tool-{number}
      version: dynamic
      source: script
      type: cli-tool
      license: MIT
      homepage: https://example.com/tools/{number}
"#
    )
}
