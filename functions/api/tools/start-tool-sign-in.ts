import { startToolSignInRoute } from "#shared/api/tools/sign-ins.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeSignIn } from "#shared/tools/oauth/authorize-sign-in.ts";
import { startSignIn } from "#shared/tools/oauth/sign-in-store.ts";

export const handler = endpoint(startToolSignInRoute, async ({ principal, rights, params }) =>
  startSignIn(principal, await authorizeSignIn(principal, await rights(), params.id)),
);
