import {
  createScimGroupRoute,
  createScimUserRoute,
  deleteScimGroupRoute,
  deleteScimUserRoute,
  getScimGroupRoute,
  getScimMetadataRoute,
  getScimUserRoute,
  listScimGroupsRoute,
  listScimUsersRoute,
  replaceScimGroupRoute,
  replaceScimUserRoute,
  updateScimGroupRoute,
  updateScimUserRoute,
} from "#shared/api/scim/scim.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound } from "#shared/lib/errors.ts";
import { changeScimUser, createScimUser, deleteScimUser } from "#shared/scim/change-user.ts";
import { listScimUsers, userReply } from "#shared/scim/find-users.ts";
import { groupReply, toGroupAttributes } from "#shared/scim/group-resource.ts";
import { changeScimGroup, createScimGroup, listScimGroups } from "#shared/scim/groups.ts";
import { getMetadata } from "#shared/scim/metadata.ts";
import { applyPatch, parseOperations } from "#shared/scim/patch.ts";
import { requireVersion } from "#shared/scim/require-version.ts";
import { groupSchema, userSchema } from "#shared/scim/schemas.ts";
import { scimFormat, scimReply, toScimBase } from "#shared/scim/scim-format.ts";
import { toUserAttributes } from "#shared/scim/user-resource.ts";
import { deleteGroup, getGroup } from "#shared/tenancy/group-store.ts";
import { findProvisionableUser } from "#shared/tenancy/members/provisioned-user-store.ts";

export const createScimGroupHandler = endpoint(
  createScimGroupRoute,
  async ({ principal, rights, headers, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const group = await createScimGroup({ scope: principal, permissions, headers }, body);
    return groupReply(201, toScimBase(baseUrl), group, query);
  },
  scimFormat,
);

export const createScimUserHandler = endpoint(
  createScimUserRoute,
  async ({ principal, rights, headers, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const user = await createScimUser({ scope: principal, permissions, headers }, body);
    return userReply(201, principal, toScimBase(baseUrl), user, query);
  },
  scimFormat,
);

export const deleteScimGroupHandler = endpoint(
  deleteScimGroupRoute,
  async ({ principal, headers, params }) => {
    requireVersion(headers, await getGroup(principal, params.id));
    await deleteGroup(principal, params.id);
  },
  scimFormat,
);

export const deleteScimUserHandler = endpoint(
  deleteScimUserRoute,
  async ({ principal, rights, headers, params }) => {
    const { permissions } = await rights();
    return deleteScimUser({ scope: principal, permissions, headers }, params.user_id);
  },
  scimFormat,
);

export const getScimGroupHandler = endpoint(
  getScimGroupRoute,
  async ({ principal, params, baseUrl, query }) =>
    groupReply(200, toScimBase(baseUrl), await getGroup(principal, params.id), query),
  scimFormat,
);

export const getScimMetadataHandler = endpoint(
  getScimMetadataRoute,
  async ({ baseUrl, params, query }) => scimReply(200, getMetadata(toScimBase(baseUrl), params.path, query.filter)),
  scimFormat,
);

export const getScimUserHandler = endpoint(
  getScimUserRoute,
  async ({ principal, params, baseUrl, query }) => {
    const user = await findProvisionableUser(principal, params.user_id);
    if (!user) throw notFound();
    return userReply(200, principal, toScimBase(baseUrl), user, query);
  },
  scimFormat,
);

export const listScimGroupsHandler = endpoint(
  listScimGroupsRoute,
  async ({ principal, baseUrl, query }) => scimReply(200, await listScimGroups(principal, toScimBase(baseUrl), query)),
  scimFormat,
);

export const listScimUsersHandler = endpoint(
  listScimUsersRoute,
  async ({ principal, baseUrl, query }) => scimReply(200, await listScimUsers(principal, toScimBase(baseUrl), query)),
  scimFormat,
);

export const replaceScimGroupHandler = endpoint(
  replaceScimGroupRoute,
  async ({ principal, rights, headers, params, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const request = { scope: principal, permissions, headers };
    const group = await changeScimGroup(request, params.id, () => body);
    return groupReply(200, toScimBase(baseUrl), group, query);
  },
  scimFormat,
);

export const replaceScimUserHandler = endpoint(
  replaceScimUserRoute,
  async ({ principal, rights, headers, params, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const request = { scope: principal, permissions, headers };
    const user = await changeScimUser(request, params.user_id, () => body);
    return userReply(200, principal, toScimBase(baseUrl), user, query);
  },
  scimFormat,
);

export const updateScimGroupHandler = endpoint(
  updateScimGroupRoute,
  async ({ principal, rights, headers, params, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const operations = parseOperations(body);
    const request = { scope: principal, permissions, headers };
    const group = await changeScimGroup(request, params.id, (current) =>
      applyPatch(groupSchema, toGroupAttributes(current), operations),
    );
    return groupReply(200, toScimBase(baseUrl), group, query);
  },
  scimFormat,
);

export const updateScimUserHandler = endpoint(
  updateScimUserRoute,
  async ({ principal, rights, headers, params, baseUrl, query, body }) => {
    const { permissions } = await rights();
    const operations = parseOperations(body);
    const request = { scope: principal, permissions, headers };
    const user = await changeScimUser(request, params.user_id, (current) => {
      const attributes = { ...toUserAttributes(current), active: current.deactivated_at === null };
      return applyPatch(userSchema, attributes, operations);
    });
    return userReply(200, principal, toScimBase(baseUrl), user, query);
  },
  scimFormat,
);
