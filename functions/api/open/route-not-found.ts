import { routeNotFound } from "#shared/http/route-not-found.ts";

export const handler = routeNotFound;
