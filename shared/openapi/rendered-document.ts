import { serviceDocument } from "./service-document.ts";

/**
 * OpenAPI document as text. The bundler evaluates this module, so that a function loads a string instead of every contract and
 * the JSON Schema converter.
 */
export const openapiJson = JSON.stringify(serviceDocument);
