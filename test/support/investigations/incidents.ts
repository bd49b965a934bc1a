/** Data that a tool of a stub server returns, or null for a call that fails. */
type ToolData = Readonly<Record<"metrics" | "logs" | "deployments", string | null>>;

/** Incident that was recorded for tests: its alert, what tools say, and what a scripted model claims. */
export interface RecordedIncident {
  readonly name: string;
  readonly service: string;
  readonly title: string;
  readonly severity: "high" | "critical";
  readonly data: ToolData;
  /** Claim that two tools support, with its quotations; null where the data proves nothing. */
  readonly cause: { readonly claim: string; readonly quotes: Readonly<Partial<Record<keyof ToolData, string>>> } | null;
  readonly expected: "confirmed" | "inconclusive" | "resolved";
}

interface Kind {
  readonly kind: string;
  readonly title: string;
  readonly claim: string;
  readonly metrics: string;
  readonly logs: string;
  readonly deployments: string;
}

/** Ten kinds of causes. The claim is in the words of the data. */
const kinds: readonly Kind[] = [
  {
    kind: "deployment",
    title: "Error rate above 5 %",
    claim: "Version v2.14.1 raises NullPointerException in the price calculation",
    metrics: "error_rate 0.2 % until 09:58, 7.1 % from 10:01 on",
    logs: "10:01:12 ERROR NullPointerException in PriceCalculator.total, version v2.14.1",
    deployments: "10:00 v2.14.1 deployed by pipeline, before that v2.14.0 on the day before",
  },
  {
    kind: "connections",
    title: "Requests time out",
    claim: "The connection pool db_pool has no free connections since 10:00",
    metrics: "db_pool in use 50 of 50 since 10:00, waiting 312",
    logs: "10:00:40 WARN timeout after 30000 ms while waiting for a connection of db_pool",
    deployments: "no deployments in the last 24 hours",
  },
  {
    kind: "memory",
    title: "Pods restart",
    claim: "Containers exceed their memory limit of 512 MiB and are killed",
    metrics: "container_memory 511 MiB of 512 MiB at 10:00, restarts 14",
    logs: "10:02:01 kernel: container exceeds its memory limit, OOMKilled, exit code 137",
    deployments: "no deployments in the last 24 hours",
  },
  {
    kind: "certificate",
    title: "Handshake failures",
    claim: "The certificate of api.internal expired at 10:00",
    metrics: "tls_handshake_failures 0 until 09:59, 100 % from 10:00 on",
    logs: "10:00:02 ERROR x509: certificate of api.internal expired at 10:00",
    deployments: "no deployments in the last 24 hours",
  },
  {
    kind: "disk",
    title: "Writes fail",
    claim: "The volume /var/lib/data is full",
    metrics: "volume /var/lib/data used 100 %, growth 2 GiB per hour",
    logs: "10:03:44 ERROR write failed: no space left on device /var/lib/data",
    deployments: "no deployments in the last 24 hours",
  },
  {
    kind: "dependency",
    title: "Orders fail",
    claim: "The provider payments.example answers with status 503",
    metrics: "calls to payments.example: 503 for 98 % since 10:00",
    logs: "10:00:09 ERROR payments.example answered with status 503 Service Unavailable",
    deployments: "no deployments in the last 24 hours",
  },
  {
    kind: "traffic",
    title: "Latency above 2 s",
    claim: "Requests from the crawler bot-77 multiply the traffic by 12",
    metrics: "requests per second 40 until 09:55, 480 since 10:00, which is 12 times as many",
    logs: "10:00 to 10:10: 91 % of the requests have the user agent bot-77",
    deployments: "no deployments in the last 24 hours",
  },
  {
    kind: "configuration",
    title: "Logins fail",
    claim: "Change cfg-311 sets an empty login issuer",
    metrics: "login_failures 0.1 % until 10:00, 100 % since then",
    logs: "10:00:01 ERROR issuer is empty, configuration cfg-311",
    deployments: "10:00 configuration cfg-311 applied: issuer changed from https://id.example to an empty text",
  },
  {
    kind: "queue",
    title: "Messages are late",
    claim: "The consumer mail-worker stopped at 09:50",
    metrics: "queue depth 12 until 09:50, 40211 at 10:10; consumers of mail-worker 0 since 09:50",
    logs: "09:50:00 INFO mail-worker received SIGTERM and stopped",
    deployments: "no deployments in the last 24 hours",
  },
  {
    kind: "clock",
    title: "Tokens are rejected",
    claim: "The clock of node-17 is 340 s ahead",
    metrics: "clock offset of node-17: 340 s, of all other nodes below 1 s",
    logs: "10:04:12 WARN token rejected on node-17: issued 340 s in the future",
    deployments: "no deployments in the last 24 hours",
  },
];

const herring =
  "10:00 v9.9.9 of the unrelated service static-pages deployed; 10:01 dashboards show a yellow tile for the cache";

function toIncidents({ kind, title, claim, metrics, logs, deployments }: Kind): RecordedIncident[] {
  const base = { title: `${title} (${kind})`, severity: "high" } as const;
  const cause = { claim, quotes: { metrics: metrics, logs: logs } };
  // In these kinds, the third source has words of the claim.
  const all = { ...cause, quotes: { ...cause.quotes, deployments } };
  return [
    {
      ...base,
      name: `${kind}, clear`,
      service: `${kind}-a`,
      data: { metrics, logs, deployments },
      cause: all,
      expected: "confirmed",
    },
    {
      ...base,
      name: `${kind}, with a misleading alert and a red herring`,
      service: `${kind}-b`,
      title: `Cache hit rate is low (${kind})`,
      severity: "critical",
      data: { metrics, logs, deployments: `${herring}; ${deployments}` },
      cause: all,
      expected: "confirmed",
    },
    {
      ...base,
      name: `${kind}, without logs and metrics`,
      service: `${kind}-c`,
      data: { metrics: null, logs: null, deployments: herring },
      cause: null,
      expected: "inconclusive",
    },
    {
      ...base,
      name: `${kind}, already resolved`,
      service: `${kind}-d`,
      data: { metrics, logs, deployments },
      cause: all,
      expected: "resolved",
    },
  ];
}

/** Forty incidents: ten kinds of causes, each clear, misleading, without data, and already resolved. */
export const incidents: readonly RecordedIncident[] = kinds.flatMap(toIncidents);

/** Claims that rules must discard, each for another reason. */
export function wrongClaims({ title }: RecordedIncident) {
  const base = { test: "Compared with the data.", outcome: "supported", confidence: 0.99 } as const;
  return [
    { ...base, claim: "The moon is full", evidence: [] },
    {
      ...base,
      claim: "A cosmic ray hit the switch",
      evidence: [{ observation: "t99", quote: "a cosmic ray was seen" }],
    },
    { ...base, claim: "The database was dropped", evidence: [{ observation: "a1", quote: "DROP DATABASE succeeded" }] },
    { ...base, claim: "Node-4711 lost 8812 packets", evidence: [{ observation: "a1", quote: title }] },
    {
      ...base,
      claim: "The alert and a result that does not exist agree",
      evidence: [
        { observation: "a1", quote: title },
        { observation: "t98", quote: "everything is broken" },
      ],
    },
    { ...base, claim: "The letter e is frequent", evidence: [{ observation: "a1", quote: "e" }] },
  ];
}

/** Returns the notification of Alertmanager for an incident. */
export function toAlertmanager({ service, title, severity }: RecordedIncident, status: string) {
  const labels = { alertname: title, service, severity };
  const times = { startsAt: "2026-11-25T10:05:00Z", endsAt: "2026-11-25T10:20:00Z" };
  const alert = { status, labels, annotations: { summary: title }, fingerprint: `f-${service}`, ...times };
  return { status, groupKey: `{}:{service="${service}"}`, commonLabels: labels, alerts: [alert] };
}
