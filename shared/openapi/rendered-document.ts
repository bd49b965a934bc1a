import { docsPage } from "./docs-page.ts";
import { serviceDocument } from "./service-document.ts";

/**
 * Documentation page and OpenAPI document as text. The bundler evaluates this module, so that a function loads two strings
 * instead of every contract and the JSON Schema converter.
 */
export const docsHtml = docsPage(serviceDocument);
export const openapiJson = JSON.stringify(serviceDocument);
