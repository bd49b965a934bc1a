import { routes, schemas } from "../api/routes.ts";
import { openapiDocument } from "./document.ts";

/** Version of the interface; there is no `/v2`. */
const version = "1.0.0";

/** The document of this service. */
export const serviceDocument = openapiDocument(routes, schemas, version);
