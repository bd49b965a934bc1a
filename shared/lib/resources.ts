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
  /** Secret from which keys and links are derived. */
  appSecret: ["APP_SECRET"],
  /** Key of the operator. */
  deploymentKey: ["DEPLOYMENT_KEY"],
  /** Creation of tenants by their first token. */
  tenantCreation: ["TENANT_CREATION"],
  /** Attribute of SCIM that is the id of a new user. */
  scimUserId: ["SCIM_USER_ID"],
  /** Verification of bearer tokens. */
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
  /** Requests to the identity providers of tenants. */
  issuerKeys: ["TOOL_PORTS", "TOOL_PRIVATE_RANGES"],
  /** Issuer of the deployment, which no tenant can have. */
  deploymentIssuer: ["JWT_ISSUER"],
  /** Rate limit of requests that have no route; functions of operations have the limit of their contract. */
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
  /** API keys of models; without it, those in `MODELS` are removed. */
  modelKeys: ["MODEL_API_KEY"],
  /** Invocation of the models of Bedrock that the settings name. */
  bedrockModels: [],
  modelCapabilities: ["MODEL_CAPABILITIES"],
  firstTokenTimeout: ["MODEL_FIRST_TOKEN_TIMEOUT_SECONDS"],
  /** Maximum length of the texts of a completion. */
  textLimit: ["OPENAI_TEXT_MIB"],
  runLimit: ["MAX_CONCURRENT_RUNS"],
  runCheckpoint: ["RUN_CHECKPOINT_MS"],
  embeddingModel: ["EMBEDDING_PROVIDER", "EMBEDDING_ID"],
  embeddings: ["EMBEDDING_BASE_URL", "EMBEDDING_API_KEY"],
  vectors: ["EMBEDDING_DIMENSIONS"],
  similaritySearch: ["EMBEDDING_MIN_SIMILARITY"],
  reranking: ["RERANK_PROVIDER", "RERANK_BASE_URL", "RERANK_API_KEY", "RERANK_ID"],
  /** Checks of a provider; with Bedrock, the right to apply the guardrail. */
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
  /** Decision whether usage is sent to a metering service. */
  metering: ["METERING_FORMAT"],
  /** Sending usage to the metering service. */
  meteringService: ["METERING_FORMAT", "METERING_URL", "METERING_KEY", "METERING_EVENT", "METERING_VALUE", "STAGE"],
  /** Writing the files of usage. */
  usageFiles: ["METERING_BUCKET"],
  /** Decision to whom e-mails may be sent. */
  emailRules: ["EMAIL_FROM", "EMAIL_DOMAINS"],
  /** Sending e-mails with SES; the right only if a sender is set. */
  email: ["EMAIL_FROM", "EMAIL_DOMAINS"],
  /** Requests to the Web API of Slack. */
  slack: ["SLACK_API_URL", "TOOL_PRIVATE_RANGES"],
  /** Decision whether the deployment has an app of Slack. */
  slackAppId: ["SLACK_CLIENT_ID"],
  /** Exchanges of codes and tokens as the app of the deployment. */
  slackApp: ["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET"],
  /** Signatures of the app of the deployment. */
  slackSignature: ["SLACK_SIGNING_SECRET"],
  /** Requests to Microsoft for Teams. */
  teams: ["TEAMS_SERVICE_HOSTS", "TEAMS_LOGIN_URL", "TOOL_PORTS", "TOOL_PRIVATE_RANGES"],
  /** Tokens with which Teams calls a bot. */
  teamsToken: ["TEAMS_SERVICE_HOSTS", "TEAMS_OPENID_URL"],
  /** Export of traces. */
  telemetry: ["OTLP_ENDPOINT", "OTLP_HEADERS", "OTLP_CONTENT", "TOOL_PRIVATE_RANGES"],
  /** Questions to the deployment itself, by a key of its API. */
  probe: ["PROBE_URL", "PROBE_KEY", "PROBE_PERSONA_ID"],
  /** Storing files. */
  uploads: ["UPLOAD_BUCKET"],
  /** Reading and deleting uploaded files. */
  uploadedFiles: ["UPLOAD_BUCKET"],
  /** Reading attached files and their texts. */
  attachments: ["ATTACHMENT_BUCKET"],
  /** Storing and deleting attached files and their texts. */
  attachmentStorage: ["ATTACHMENT_BUCKET"],
  /** Sending to the queue of changes that failed. */
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
