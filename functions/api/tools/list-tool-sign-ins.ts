import { listToolSignInsRoute } from "#shared/api/tools/sign-ins.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listSignIns } from "#shared/tools/oauth/list-sign-ins.ts";

export const handler = endpoint(listToolSignInsRoute, async ({ principal }) => ({
  sign_ins: await listSignIns(principal),
}));
