/** Writes the OpenAPI document into the repository, for those who generate clients from it: `npm run openapi`. */
import { writeFileSync } from "node:fs";
import { thisDocument } from "../shared/openapi/this-document.ts";

writeFileSync("openapi.json", `${JSON.stringify(thisDocument, null, 1)}\n`);
