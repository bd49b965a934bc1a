import { routeNotFound } from "#shared/http/errors/route-not-found.ts";

export const handler = routeNotFound;
