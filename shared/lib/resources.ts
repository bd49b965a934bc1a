import type { VariableName } from "./env.ts";

/**
 * Resources of functions in addition to the table, with the environment variables that name them.
 * `infra/constructs/api-function.ts` adds the rights of those that have any.
 */
export const resources = {
  log: ["LOG_LEVEL"],
  stage: ["STAGE"],
  table: ["TABLE_NAME"],
  originSecret: ["ORIGIN_SECRET", "SERVICE_VERSION"],
  /** Secret from which API keys and the tokens of links are derived. */
  appSecret: ["APP_SECRET"],
  /** Key with which the operator of the deployment authenticates. */
  deploymentKey: ["DEPLOYMENT_KEY"],
  /** Setting that decides whether the first token of an unknown tenant creates the tenant. */
  tenantCreation: ["TENANT_CREATION"],
  /** Attribute of a SCIM user that becomes the id of the new user. */
  scimUserId: ["SCIM_USER_ID"],
  /** Settings to verify bearer tokens. */
  tokens: [
    "AUTH_PROVIDER",
    "JWT_ISSUER",
    "JWT_AUDIENCE",
    "JWT_JWKS_URL",
    "JWT_JWKS_STALE_SECONDS",
    "JWT_ALGORITHMS",
    "JWT_TENANT_CLAIM",
    "JWT_USER_CLAIM",
    "JWT_ROLES_CLAIM",
    "JWT_GROUPS_CLAIM",
    "DEV_TENANT_ID",
    "DEV_USER_ID",
    "DEV_USER_ROLES",
  ],
  /** Addresses that tenants may store, for requests that other functions make. */
  privateRanges: ["TOOL_PRIVATE_RANGES"],
  /** Settings for requests to the identity providers that tenants chose. */
  issuerKeys: ["TOOL_PORTS", "TOOL_PRIVATE_RANGES"],
  /** Issuer of the deployment's tokens. Tenants cannot register it as their own identity provider. */
  deploymentIssuer: ["JWT_ISSUER"],
  /** Rate limit of requests that match no route. Functions of operations have the limit of their contract. */
  openLimit: ["RATE_LIMIT_OPEN"],
  failedCredentialLimit: ["RATE_LIMIT_FAILED"],
  /** Names, addresses and prices of models. */
  modelSettings: [
    "MODELS",
    "MODEL_PROVIDER",
    "MODEL_BASE_URL",
    "MODEL_FALLBACK",
    "MODEL_ID",
    "MODEL_ID_QUICK",
    "MODEL_ID_THINKING",
    "MODEL_ID_RESEARCH",
    "MODEL_ID_THOUGHT_PARTNER",
  ],
  /** API keys of model providers. Functions without this resource get `MODELS` without its keys. */
  modelKeys: ["MODEL_API_KEY"],
  /** IAM right to invoke the Bedrock models that the settings name. */
  bedrockModels: [],
  modelCapabilities: ["MODEL_CAPABILITIES"],
  firstTokenTimeout: ["MODEL_FIRST_TOKEN_TIMEOUT_SECONDS"],
  /** Maximum length of the texts in a request to the OpenAI-compatible API. */
  textLimit: ["OPENAI_TEXT_MIB"],
  runLimit: ["MAX_CONCURRENT_RUNS"],
  runCheckpoint: ["RUN_CHECKPOINT_MS"],
  embeddingModel: ["EMBEDDING_PROVIDER", "EMBEDDING_ID"],
  embeddings: ["EMBEDDING_BASE_URL", "EMBEDDING_API_KEY"],
  vectors: ["EMBEDDING_DIMENSIONS"],
  similaritySearch: ["EMBEDDING_MIN_SIMILARITY"],
  reranking: ["RERANK_PROVIDER", "RERANK_BASE_URL", "RERANK_API_KEY", "RERANK_ID"],
  /** Settings of the guardrail provider; with Bedrock, also the IAM right to apply the guardrail. */
  guardrail: [
    "GUARDRAIL_PROVIDER",
    "GUARDRAIL_ID",
    "GUARDRAIL_VERSION",
    "GUARDRAIL_BASE_URL",
    "GUARDRAIL_API_KEY",
    "GUARDRAIL_MODEL",
    "GUARDRAIL_TIMEOUT_MS",
    "GUARDRAIL_FAILURE",
  ],
  embedSessionLimits: ["EMBED_SESSION_SECONDS", "EMBED_SESSION_MESSAGES"],
  visitorLimit: ["EMBED_VISITOR_MESSAGES"],
  importPorts: ["IMPORT_PORTS"],
  messageSearch: ["MESSAGE_SEARCH"],
  toolServers: ["TOOL_PORTS", "TOOL_PRIVATE_RANGES"],
  toolRounds: ["TOOL_ROUNDS"],
  webSearch: ["WEB_SEARCH_PROVIDER", "WEB_SEARCH_BASE_URL", "WEB_SEARCH_API_KEY"],
  /** Setting that tells whether usage is sent to a metering service. */
  metering: ["METERING_FORMAT"],
  /** Address, key and format of the metering service that usage is sent to. */
  meteringService: ["METERING_FORMAT", "METERING_URL", "METERING_KEY", "METERING_EVENT", "METERING_VALUE", "STAGE"],
  /** Bucket for the files of usage, with the right to write. */
  usageFiles: ["METERING_BUCKET"],
  /** Settings that decide whether e-mails are sent and to which domains. */
  emailRules: ["EMAIL_FROM", "EMAIL_DOMAINS"],
  /** Settings to send e-mails with SES; the IAM right is added only if a sender is set. */
  email: ["EMAIL_FROM", "EMAIL_DOMAINS"],
  /** Address of Slack's Web API, and the private ranges that it may be in. */
  slack: ["SLACK_API_URL", "TOOL_PRIVATE_RANGES"],
  /** Setting that tells whether the deployment has its own Slack app. */
  slackAppId: ["SLACK_CLIENT_ID"],
  /** Client id and secret with which the deployment's Slack app exchanges codes and tokens. */
  slackApp: ["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET"],
  /** Secret that verifies the requests that Slack sends to the deployment's app. */
  slackSignature: ["SLACK_SIGNING_SECRET"],
  /** Addresses of Microsoft to which messages for Teams are sent. */
  teams: ["TEAMS_SERVICE_HOSTS", "TEAMS_LOGIN_URL", "TOOL_PORTS", "TOOL_PRIVATE_RANGES"],
  /** Settings to verify the tokens with which Teams calls a bot. */
  teamsToken: ["TEAMS_SERVICE_HOSTS", "TEAMS_OPENID_URL"],
  /** Settings to export traces. */
  telemetry: ["OTLP_ENDPOINT", "OTLP_HEADERS", "OTLP_CONTENT", "TOOL_PRIVATE_RANGES"],
  /** Address, API key and persona of the test questions that the deployment asks itself as a monitor. */
  probe: ["PROBE_URL", "PROBE_KEY", "PROBE_PERSONA_ID"],
  /** Bucket of uploaded files, with the right to write. */
  uploads: ["UPLOAD_BUCKET"],
  /** Bucket of uploaded files, with the rights to read and delete. */
  uploadedFiles: ["UPLOAD_BUCKET"],
  /** Bucket of attached files and their extracted texts, with the right to read. */
  attachments: ["ATTACHMENT_BUCKET"],
  /** Bucket of attached files and their extracted texts, with the right to delete. */
  attachmentDeletion: ["ATTACHMENT_BUCKET"],
  /** Bucket of attached files and their extracted texts, with the rights to write and delete. */
  attachmentStorage: ["ATTACHMENT_BUCKET"],
  /** Queue of changes of the table that a stream processor could not process, with the right to send. */
  faultQueue: ["FAULT_QUEUE_URL"],
  applyRetentionQueue: ["APPLY_RETENTION_QUEUE_URL"],
  buildExportQueue: ["BUILD_EXPORT_QUEUE_URL"],
  continueRunQueue: ["CONTINUE_RUN_QUEUE_URL"],
  deliverEventQueue: ["DELIVER_EVENT_QUEUE_URL"],
  deleteDataQueue: ["DELETE_DATA_QUEUE_URL"],
  embedPassagesQueue: ["EMBED_PASSAGES_QUEUE_URL"],
  processFileQueue: ["PROCESS_FILE_QUEUE_URL"],
  runImportQueue: ["RUN_IMPORT_QUEUE_URL"],
  watchRunQueue: ["WATCH_RUN_QUEUE_URL"],
} as const satisfies Readonly<Record<string, readonly VariableName[]>>;

export type ResourceName = keyof typeof resources;
