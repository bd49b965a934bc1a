import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { ChosenId, Cursor, describe, Integer, Limit, limitParam, lineOf, pageOf, Timestamp } from "../fields.ts";
import { OperatorBudget } from "../governance/budgets.ts";
import { getUsageRoute, UsageAmounts } from "../governance/usage.ts";

/** Id of a tenant, as the identity provider names it in the tenant claim. */
const TenantId = describe(ChosenId, "The id in the tenant claim of the tokens.");

const limits = {
  requests_per_minute: v.pipe(Integer, v.minValue(1), v.maxValue(1_000_000)),
  tokens_per_minute: v.pipe(Integer, v.minValue(1), v.maxValue(1_000_000_000)),
  concurrent_runs: v.pipe(Integer, v.minValue(1), v.maxValue(200)),
  members: v.pipe(Integer, v.minValue(0), v.maxValue(1_000_000)),
  documents: v.pipe(Integer, v.minValue(0), v.maxValue(1_000_000_000)),
  storage_bytes: v.pipe(Integer, v.minValue(0), v.maxValue(1_000_000_000_000_000)),
};

const TenantLimits = v.object({
  requests_per_minute: describe(
    v.exactOptional(Integer),
    "Requests of users and keys to `/v1`; by default, that of the deployment (`RATE_LIMIT_TENANT`).",
  ),
  tokens_per_minute: describe(
    v.exactOptional(Integer),
    "Tokens of all answers that start in a minute; 429 `rate_limited` beyond it.",
  ),
  concurrent_runs: describe(
    v.exactOptional(Integer),
    "Answers in progress at the same time; 429 `rate_limited` beyond it.",
  ),
  members: describe(
    v.exactOptional(Integer),
    "People who have made a request and are not deactivated; by default, any number.",
  ),
  documents: v.exactOptional(describe(Integer, "Documents in all collections; 409 `storage_full` beyond it.")),
  storage_bytes: describe(
    v.exactOptional(Integer),
    "Bytes of all documents and attached files; 409 `storage_full` beyond it.",
  ),
});

/** Tenant of the deployment, as its operator sees it. */
export const AdministeredTenant = v.object({
  id: TenantId,
  name: v.nullable(v.string()),
  plan: describe(v.nullable(v.string()), "A text of the operator, without effect."),
  billing_id: describe(
    v.nullable(v.string()),
    "The id of the tenant as a customer of your billing service, such as `cus_123` of Stripe.",
  ),
  limits: TenantLimits,
  budgets: describe(v.array(OperatorBudget), "Budgets that the administrators of the tenant see and cannot change."),
  status: v.picklist(["active", "suspended", "deleting", "deleted"]),
  suspended_at: v.nullable(Timestamp),
  deletion: v.nullable(
    v.object({
      requested_at: Timestamp,
      completed_at: describe(
        v.nullable(Timestamp),
        "The time after which a search for everything that belongs to the tenant found nothing any more. What no list names, such as stored responses, sessions of visitors and records of usage, expires within 90 days of it.",
      ),
      deleted_items: describe(v.record(v.string(), Integer), "The number of items that were deleted so far, by type."),
      proof: describe(
        v.nullable(v.string()),
        "A SHA-256 hash, in base64url, that chains the keys of all deleted items, in the order of their deletion.",
      ),
    }),
  ),
  created_at: Timestamp,
});
export type AdministeredTenant = v.InferOutput<typeof AdministeredTenant>;

const route = routeGroup({ group: "tenants", auth: "deployment-key", idempotency: "none" });
export const TenantParams = v.object({ tenant_id: TenantId });

const Budgets = v.pipe(
  v.array(OperatorBudget),
  v.maxLength(8, "must have at most 8 budgets"),
  v.check(
    (budgets) => new Set(budgets.map(({ unit, window }) => `${unit} ${window}`)).size === budgets.length,
    "must have one budget for each unit and window",
  ),
);

const Name = v.nullable(lineOf(200));
const Plan = v.nullable(lineOf(100));
const BillingId = v.nullable(lineOf(200));

export const createTenantRoute = route("POST /v1/admin/tenants", {
  id: "createTenant",
  body: v.strictObject({
    id: TenantId,
    name: v.optional(Name, null),
    plan: v.optional(Plan, null),
    billing_id: v.optional(BillingId, null),
    limits: v.optional(v.partial(v.strictObject(limits)), {}),
    budgets: v.optional(Budgets, []),
  }),
  replies: { 201: AdministeredTenant },
  errors: ["conflict"],
  summary: "Create a tenant",
  description:
    "The id is that in the tenant claim of the tokens of its users. An id that exists or existed gets 409, so that a repeated request changes nothing. With `TENANT_CREATION=api`, this is the only way in which a tenant appears; otherwise it also appears with the first token that names it.",
});

export const listTenantsRoute = route("GET /v1/admin/tenants", {
  id: "listTenants",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("tenants", AdministeredTenant) },
  summary: "List tenants",
  description: "Returns tenants in order of their ids. A change appears within seconds.",
});

export const getTenantRoute = route("GET /v1/admin/tenants/{tenant_id}", {
  id: "getTenant",
  params: TenantParams,
  replies: { 200: AdministeredTenant },
  summary: "Get a tenant",
});

export const updateTenantRoute = route("PATCH /v1/admin/tenants/{tenant_id}", {
  id: "updateTenant",
  params: TenantParams,
  body: v.strictObject({
    name: v.optional(Name),
    plan: v.optional(Plan),
    billing_id: v.optional(BillingId),
    limits: v.optional(
      v.strictObject({
        requests_per_minute: v.optional(v.nullable(limits.requests_per_minute)),
        tokens_per_minute: v.optional(v.nullable(limits.tokens_per_minute)),
        concurrent_runs: v.optional(v.nullable(limits.concurrent_runs)),
        members: v.optional(v.nullable(limits.members)),
        documents: v.optional(v.nullable(limits.documents)),
        storage_bytes: v.optional(v.nullable(limits.storage_bytes)),
      }),
    ),
    budgets: v.optional(Budgets),
    suspended: v.optional(v.boolean()),
  }),
  replies: { 200: AdministeredTenant },
  errors: ["conflict"],
  summary: "Update, suspend or resume a tenant",
  description:
    "A limit that is null is removed, and one that is missing stays; the budgets are replaced as a whole. Changes take effect within 30 seconds. A suspended tenant gets 403 with every credential, and its streams end. Members, documents and files beyond a lower limit stay.",
});

export const deleteTenantRoute = route("DELETE /v1/admin/tenants/{tenant_id}", {
  id: "deleteTenant",
  params: TenantParams,
  replies: { 202: AdministeredTenant },
  summary: "Delete a tenant",
  description:
    "Suspends the tenant, then deletes everything that belongs to it, which takes at least a minute. Deletion cannot be stopped. The tenant stays in the list with the number of deleted items and the proof, and its id is not used again. Repeated requests return the state of the deletion.",
});

export const getTenantUsageRoute = route("GET /v1/admin/tenants/{tenant_id}/usage", {
  id: "getTenantUsage",
  params: TenantParams,
  query: getUsageRoute.query,
  replies: getUsageRoute.replies,
  summary: "Get the usage of a tenant",
  description: "Returns what `GET /v1/usage` returns to the administrators of the tenant, as JSON.",
});

export const listTenantUsageRoute = route("GET /v1/admin/usage", {
  id: "listTenantUsage",
  query: v.object({
    from: getUsageRoute.query.entries.from,
    to: getUsageRoute.query.entries.to,
    cost: getUsageRoute.query.entries.cost,
    limit: limitParam(25, 25),
    cursor: Cursor,
  }),
  replies: {
    200: v.object({
      from: v.string(),
      to: v.string(),
      ...pageOf("tenants", v.object({ tenant_id: TenantId, name: v.nullable(v.string()), ...UsageAmounts.entries }))
        .entries,
    }),
  },
  summary: "List the usage of all tenants",
  description: "Returns the totals of each tenant between two UTC days, both inclusive; by default the last 30 days.",
});
