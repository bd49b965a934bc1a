import type { GenericSchema } from "valibot";
import * as blocks from "./blocks.ts";
import * as attachments from "./conversations/attachments.ts";
import * as chat from "./conversations/chat.ts";
import * as conversations from "./conversations/conversations.ts";
import * as feedback from "./conversations/feedback.ts";
import * as folders from "./conversations/folders.ts";
import * as importedMessages from "./conversations/import-messages.ts";
import * as messageSearch from "./conversations/message-search.ts";
import * as messages from "./conversations/messages.ts";
import * as projects from "./conversations/projects.ts";
import * as sharing from "./conversations/sharing.ts";
import type { Route } from "./define-route.ts";
import * as embed from "./embed/embed.ts";
import * as embedAttachments from "./embed/embed-attachments.ts";
import * as embedMessage from "./embed/embed-message.ts";
import * as handovers from "./embed/handovers.ts";
import * as visitors from "./embed/visitors.ts";
import * as testItems from "./evaluations/test-items.ts";
import * as testRuns from "./evaluations/test-runs.ts";
import * as testSets from "./evaluations/test-sets.ts";
import * as eventEndpoints from "./events/event-endpoints.ts";
import * as approvals from "./governance/approvals.ts";
import * as audit from "./governance/audit.ts";
import * as budgets from "./governance/budgets.ts";
import * as dataDeletions from "./governance/data-deletions.ts";
import * as exports from "./governance/exports.ts";
import * as policy from "./governance/policy.ts";
import * as usage from "./governance/usage.ts";
import * as investigations from "./investigations/investigations.ts";
import * as incidentUpdates from "./investigations/updates.ts";
import * as collections from "./knowledge/collections.ts";
import * as documents from "./knowledge/documents.ts";
import * as imports from "./knowledge/imports.ts";
import * as knowledge from "./knowledge/knowledge.ts";
import * as passages from "./knowledge/passages.ts";
import * as syncs from "./knowledge/syncs.ts";
import * as uploads from "./knowledge/uploads.ts";
import * as memories from "./memory/memories.ts";
import * as notes from "./memory/notes.ts";
import * as messengerLinks from "./messengers/links.ts";
import * as messengerRequests from "./messengers/requests.ts";
import * as messengerWorkspaces from "./messengers/workspaces.ts";
import * as textCompletions from "./openai/completions.ts";
import * as openaiConversations from "./openai/conversations.ts";
import * as embeddings from "./openai/embeddings.ts";
import * as messageRequests from "./openai/message-requests.ts";
import * as moderations from "./openai/moderations.ts";
import * as openai from "./openai/openai.ts";
import * as responseOperations from "./openai/response-operations.ts";
import * as responses from "./openai/responses.ts";
import * as languageModels from "./personas/language-models.ts";
import * as persona from "./personas/persona.ts";
import * as personaGate from "./personas/persona-gate.ts";
import * as personaVersions from "./personas/persona-versions.ts";
import * as personas from "./personas/personas.ts";
import * as templates from "./personas/templates.ts";
import * as docs from "./platform/docs.ts";
import * as legacy from "./platform/legacy.ts";
import * as open from "./platform/open.ts";
import * as schedules from "./schedules/schedules.ts";
import * as scim from "./scim/scim.ts";
import * as access from "./tenancy/access.ts";
import * as apiKeys from "./tenancy/api-keys.ts";
import * as embedKeys from "./tenancy/embed-keys.ts";
import * as identity from "./tenancy/identity.ts";
import * as invitations from "./tenancy/invitations.ts";
import * as issuers from "./tenancy/issuers.ts";
import * as tenants from "./tenancy/tenants.ts";
import * as tokens from "./tenancy/tokens.ts";
import * as usageCorrections from "./tenancy/usage-corrections.ts";
import * as users from "./tenancy/users.ts";
import * as toolConsents from "./tools/consents.ts";
import * as mcp from "./tools/mcp.ts";
import * as toolServers from "./tools/servers.ts";
import * as toolSignIns from "./tools/sign-ins.ts";
import * as toolServer from "./tools/tool-server.ts";
import * as deliveries from "./webhooks/deliveries.ts";
import * as webhooks from "./webhooks/webhooks.ts";

const isRoute = (value: unknown): value is Route =>
  typeof value === "object" && value !== null && "path" in value && "replies" in value;

const isSchema = ([name, value]: readonly [string, unknown]): boolean =>
  /^[A-Z]/.test(name) && typeof value === "object" && value !== null && "kind" in value && value.kind === "schema";

const contracts = [
  docs,
  open,
  identity,
  access,
  apiKeys,
  embedKeys,
  tokens,
  users,
  scim,
  issuers,
  invitations,
  tenants,
  usageCorrections,
  embed,
  embedAttachments,
  embedMessage,
  handovers,
  visitors,
  conversations,
  messages,
  attachments,
  importedMessages,
  messageSearch,
  webhooks,
  eventEndpoints,
  deliveries,
  messengerWorkspaces,
  messengerLinks,
  messengerRequests,
  investigations,
  incidentUpdates,
  chat,
  folders,
  projects,
  legacy,
  persona,
  personas,
  personaVersions,
  personaGate,
  testSets,
  testItems,
  testRuns,
  languageModels,
  toolServer,
  toolServers,
  toolSignIns,
  toolConsents,
  mcp,
  messageRequests,
  openai,
  responses,
  responseOperations,
  openaiConversations,
  textCompletions,
  embeddings,
  moderations,
  sharing,
  templates,
  feedback,
  collections,
  documents,
  knowledge,
  passages,
  syncs,
  uploads,
  imports,
  memories,
  notes,
  schedules,
  policy,
  approvals,
  exports,
  audit,
  dataDeletions,
  usage,
  budgets,
];

type RouteOf<Contracts> = Contracts extends unknown
  ? Extract<Contracts[keyof Contracts], { readonly path: string; readonly method: string; readonly replies: object }>
  : never;

/** Union of all routes with the literal types of their definitions, from which the typed client infers its types. */
export type RouteContract = RouteOf<(typeof contracts)[number]>;

const routesOf = (contract: Readonly<Record<string, unknown>>): Route[] =>
  Object.values(contract)
    .filter(isRoute)
    .sort((a, b) => (a.id < b.id ? -1 : 1));

/** All routes of the service. Every route that a contract module exports is included automatically. */
export const routes: readonly Route[] = contracts.flatMap(routesOf);

/** Resource schemas by name, for the OpenAPI document. */
export const schemas = Object.fromEntries(
  [blocks, ...contracts].flatMap((contract) => Object.entries<unknown>(contract)).filter(isSchema),
) as Readonly<Record<string, GenericSchema>>;
