import { routes, schemas } from "../api/routes.ts";
import { openapiDocument } from "./document.ts";

/** API version. */
const version = "1.0.0";

/** OpenAPI document of this service. */
export const serviceDocument = openapiDocument(routes, schemas, version);
