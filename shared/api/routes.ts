import type { GenericSchema } from "valibot";
import * as access from "./access.ts";
import * as apiKeys from "./api-keys.ts";
import * as approvals from "./approvals.ts";
import * as audit from "./audit.ts";
import * as chat from "./chat.ts";
import * as collections from "./collections.ts";
import * as conversations from "./conversations.ts";
import * as dataDeletions from "./data-deletions.ts";
import type { Route } from "./define-route.ts";
import * as docs from "./docs.ts";
import * as documents from "./documents.ts";
import * as embed from "./embed.ts";
import * as embedKeys from "./embed-keys.ts";
import * as exports from "./exports.ts";
import * as feedback from "./feedback.ts";
import * as folders from "./folders.ts";
import * as identity from "./identity.ts";
import * as knowledge from "./knowledge.ts";
import * as legacy from "./legacy.ts";
import * as memories from "./memories.ts";
import * as messages from "./messages.ts";
import * as notes from "./notes.ts";
import * as open from "./open.ts";
import * as openai from "./openai.ts";
import * as personas from "./personas.ts";
import * as policy from "./policy.ts";
import * as projects from "./projects.ts";
import * as sharing from "./sharing.ts";
import * as templates from "./templates.ts";
import * as usage from "./usage.ts";
import * as webhooks from "./webhooks.ts";

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
  embed,
  conversations,
  messages,
  webhooks,
  chat,
  folders,
  projects,
  legacy,
  personas,
  openai,
  sharing,
  templates,
  feedback,
  collections,
  documents,
  knowledge,
  memories,
  notes,
  policy,
  approvals,
  exports,
  audit,
  dataDeletions,
  usage,
];

/** Every route of the service: what a resource's contract file exports is on the table. */
export const routes: readonly Route[] = contracts
  .flatMap((contract) => Object.values<unknown>(contract))
  .filter(isRoute);

/** The shapes of resources, by name, for descriptions of the interface. */
export const schemas = Object.fromEntries(
  contracts.flatMap((contract) => Object.entries<unknown>(contract)).filter(isSchema),
) as Readonly<Record<string, GenericSchema>>;
