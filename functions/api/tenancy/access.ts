import { capabilities } from "#shared/api/capabilities.ts";
import { pathOf } from "#shared/api/define-route.ts";
import { MAX_BODY_BYTES } from "#shared/api/limits.ts";
import { routes } from "#shared/api/routes.ts";
import {
  createGroupRoute,
  createRoleRoute,
  deleteGroupRoute,
  deleteRoleRoute,
  getMyAccessRoute,
  getReceptorRoute,
  listGroupsRoute,
  listPermissionsRoute,
  listRolesRoute,
  updateGroupRoute,
  updateRoleRoute,
} from "#shared/api/tenancy/access.ts";
import { tiers } from "#shared/api/tiers.ts";
import { externalIdOfCaller } from "#shared/auth/principal.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { env } from "#shared/lib/env.ts";
import { newId } from "#shared/lib/ids.ts";
import { hasLanguageModel } from "#shared/models/has-language-model.ts";
import { authorizeGrant, authorizeRoleGrant } from "#shared/tenancy/access-rights.ts";
import { getAllowedOperations } from "#shared/tenancy/allowed-operations.ts";
import { listBuiltInRoles, requireCustomRole } from "#shared/tenancy/built-in-roles.ts";
import { featureFlags } from "#shared/tenancy/feature-flags.ts";
import { deleteGroup, listGroups, newGroupWrites, updateGroup } from "#shared/tenancy/group-store.ts";
import { deleteRole, listCustomRoles, newRoleWrite, updateRole } from "#shared/tenancy/role-store.ts";

export const createGroupHandler = endpoint(createGroupRoute, async ({ principal, body, rights, commit }) => {
  await authorizeRoleGrant(principal, (await rights()).permissions, body.roles);
  const group = { id: newId(), ...body };
  return commit(group, ...newGroupWrites(principal, group));
});

export const createRoleHandler = endpoint(createRoleRoute, async ({ principal, body, rights, commit }) => {
  requireCustomRole(body.name);
  authorizeGrant((await rights()).permissions, body.permissions);
  const role = { ...body, built_in: false };
  const location = pathOf(updateRoleRoute, { name: role.name });
  return commit(new Reply(201, role, { location }), newRoleWrite(principal, role));
});

export const deleteGroupHandler = endpoint(deleteGroupRoute, ({ principal, params }) =>
  deleteGroup(principal, params.id),
);

export const deleteRoleHandler = endpoint(deleteRoleRoute, async ({ principal, params }) => {
  requireCustomRole(params.name);
  await deleteRole(principal, params.name);
});

export const listGroupsHandler = endpoint(listGroupsRoute, async ({ principal }) => ({
  groups: await listGroups(principal),
}));

export const listPermissionsHandler = endpoint(listPermissionsRoute, async () => ({
  permissions: Object.entries(capabilities).map(([name, description]) => ({ name, description })),
}));

export const listRolesHandler = endpoint(listRolesRoute, async ({ principal }) => ({
  roles: [...listBuiltInRoles(), ...(await listCustomRoles(principal))],
}));

export const updateGroupHandler = endpoint(updateGroupRoute, async ({ principal, params, body, rights }) => {
  const { permissions } = await rights();
  return updateGroup(
    principal,
    params.id,
    () => body,
    async (before, after) => {
      const isJoined = after.member_ids.some((user) => !before.member_ids.includes(user));
      const granted = isJoined ? after.roles : after.roles.filter((role) => !before.roles.includes(role));
      await authorizeRoleGrant(principal, permissions, granted);
    },
  );
});

export const updateRoleHandler = endpoint(updateRoleRoute, async ({ principal, params, body, rights }) => {
  requireCustomRole(params.name);
  const { permissions } = await rights();
  authorizeGrant(permissions, body.permissions ?? []);
  return updateRole(principal, params.name, body);
});

export const getMyAccessHandler = endpoint(getMyAccessRoute, async ({ principal, rights }) => {
  const { roles, groups, permissions } = await rights();
  return { user_id: principal.userId, roles: [...roles], groups: [...groups], permissions: [...permissions] };
});

export const getReceptorHandler = endpoint(getReceptorRoute, async ({ principal, tenant, rights }) => {
  const [{ roles, permissions }, { banner, classification }] = await Promise.all([
    rights(),
    getCurrentPolicy(principal),
  ]);
  const { userId: user_id, email, name } = principal;
  const perMinute = tenant.limits.requests_per_minute ?? Number(env("RATE_LIMIT_TENANT").RATE_LIMIT_TENANT);
  return {
    user: { user_id, external_id: externalIdOfCaller(principal), email, name },
    tenant: { tenant_id: tenant.tenant_id, slug: tenant.slug },
    roles: [...roles],
    permissions: [...permissions],
    operations: getAllowedOperations(routes, permissions, principal),
    tiers: [...tiers],
    features: { ...featureFlags, language_model: hasLanguageModel() },
    limits: { requests_per_minute: perMinute, message_characters: 32_000, page_size: 100, body_bytes: MAX_BODY_BYTES },
    policy: { banner, classification },
  };
});
