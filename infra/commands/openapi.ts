/** Entry point of `npm run openapi`: writes the OpenAPI document to the repository, for client generators. */
import { writeFileSync } from "node:fs";
import { serviceDocument } from "../../shared/openapi/service-document.ts";

writeFileSync("openapi.json", `${JSON.stringify(serviceDocument, null, 1)}\n`);
