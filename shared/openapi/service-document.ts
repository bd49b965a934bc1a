import packageJson from "../../package.json" with { type: "json" };
import { routes, schemas } from "../api/routes.ts";
import { openapiDocument } from "./document.ts";

/** OpenAPI document of this service, with the version of the package. */
export const serviceDocument = openapiDocument(routes, schemas, packageJson.version);
