import type { Messenger } from "../../../../shared/api/messengers/event-ref.ts";
import { api } from "../session/session.ts";
import { describeType } from "./codes/resource-types.ts";
import { useResource } from "./data.ts";
import { upTo } from "./lists.ts";

type Names = readonly (readonly [id: string, name: string | null])[];

const params = { query: { limit: 100 } };

const named = (list: readonly { readonly id: string; readonly name: string | null }[]): Names =>
  list.map(({ id, name }) => [id, name]);

const workspaceNames = async (messenger: Messenger): Promise<Names> =>
  named(await upTo(api.list("/v1/messengers/{messenger}/workspaces", { params: { ...params, path: { messenger } } })));

/**
 * Loaders of the names of resources that audit events refer to, by type. They contain only resources that the user can read.
 */
const loaders: Readonly<Record<string, () => Promise<Names>>> = {
  user: async () => named(await upTo(api.list("/v1/tenant/people", { params }))),
  conversation: async () => (await upTo(api.list("/v1/conversations", { params }))).map(({ id, title }) => [id, title]),
  folder: async () => named(await upTo(api.list("/v1/folders", { params }))),
  persona: async () => named(await upTo(api.list("/v1/personas", { params }))),
  template: async () => named(await upTo(api.list("/v1/templates", { params }))),
  collection: async () => named(await upTo(api.list("/v1/knowledge/collections", { params }))),
  tool_server: async () => named(await upTo(api.list("/v1/tools/servers", { params }))),
  slack_workspace: () => workspaceNames("slack"),
  teams_workspace: () => workspaceNames("teams"),
  budget: async () => named((await api.GET("/v1/budgets")).budgets),
  event_endpoint: async () =>
    (await upTo(api.list("/v1/event-endpoints", { params }))).map(({ id, url, description }) => [
      id,
      description || new URL(url).host,
    ]),
  note: async () => (await upTo(api.list("/v1/notes", { params }))).map(({ id, title }) => [id, title]),
  schedule: async () => named(await upTo(api.list("/v1/schedules", { params }))),
  group: async () => named((await api.GET("/v1/groups")).groups),
  embed_key: async () => named((await api.GET("/v1/tenant/embed-keys")).keys),
  api_key: async () =>
    (await api.GET("/v1/tenant/api-keys")).keys.map(({ id, description }) => [id, description || null]),
  investigation: async () =>
    (await upTo(api.list("/v1/investigations", { params: { query: { limit: 100, state: "all" } } }))).map(
      ({ id, title }) => [id, title],
    ),
};

/** Types whose ids are names that users chose, so that they need no other name. */
const typesWithNamedIds: ReadonlySet<string> = new Set(["webhook", "role", "language_model"]);

interface Target {
  readonly type: string;
  readonly id: string;
}

/**
 * Returns a function that names the resource of an audit event: its type, and its name, or null if the user cannot read it.
 * Loads only the types that occur.
 */
export function useTargetNames(
  targets: readonly Target[],
): (target: Target) => { readonly type: string; readonly name: string | null } {
  const types = [...new Set(targets.map(({ type }) => type))].filter((type) => type in loaders).sort();
  const names = useResource(types.length > 0 ? `target-names:${types.join()}` : null, async () => {
    const lists = await Promise.allSettled(types.map((type) => loaders[type]?.() ?? []));
    return new Map(lists.flatMap((list) => (list.status === "fulfilled" ? list.value : [])));
  });
  return ({ type, id }) => ({
    type: describeType(type),
    name: names.value?.get(id) ?? (typesWithNamedIds.has(type) ? id : null),
  });
}
