import { micromark } from "micromark";
import { problemPath } from "../api/platform/docs.ts";
import type { ProblemCode } from "../api/problem-codes.ts";
import { escapeHtml, htmlPage } from "../lib/html-page.ts";
import type { OpenapiDocument, OpenapiOperation, OpenapiParameter } from "./types.ts";

type Json = Record<string, unknown>;

const linkTo = ($ref: unknown) => {
  const name = String($ref).split("/").at(-1) ?? "";
  return `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`;
};

const joinTypes = (schemas: unknown, separator: string) => (schemas as Json[]).map(typeHtml).join(separator);

/** Renders the type of a schema in short form. */
function typeHtml(schema: Json): string {
  if (schema.$ref) return linkTo(schema.$ref);
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum)
    return (schema.enum as unknown[]).map((one) => `<code>${escapeHtml(String(one))}</code>`).join(" | ");
  if (schema.anyOf) return joinTypes(schema.anyOf, " | ");
  if (schema.oneOf) return joinTypes(schema.oneOf, " | ");
  if (schema.type === "array") return `array of ${typeHtml((schema.items ?? {}) as Json)}`;
  return escapeHtml(String(schema.type ?? "any"));
}

const constraintTexts: Readonly<Record<string, string>> = {
  minLength: "at least %s characters",
  maxLength: "at most %s characters",
  minimum: "at least %s",
  maximum: "at most %s",
  minItems: "at least %s entries",
  maxItems: "at most %s entries",
  default: "default: %s",
};

/** Renders the description and constraints of a value. */
function remarksHtml(schema: Json, description: string): string {
  const constraints = Object.entries(constraintTexts).flatMap(([name, text]) =>
    schema[name] === undefined || schema[name] === null ? [] : [text.replace("%s", JSON.stringify(schema[name]))],
  );
  return [description && inline(description), constraints.length > 0 && `(${escapeHtml(constraints.join(", "))})`]
    .filter(Boolean)
    .join(" ");
}

/** Renders Markdown without the enclosing paragraph. */
const inline = (text: string) => micromark(text).replace(/^<p>|<\/p>$/g, "");

const row = (name: string, required: boolean, schema: Json, description: string) =>
  `<tr><td><code>${escapeHtml(name)}</code>${required ? " *" : ""}</td><td>${typeHtml(schema)}</td><td>${remarksHtml(schema, description)}</td></tr>`;

const table = (rows: readonly string[]) =>
  rows.length === 0
    ? ""
    : `<table><thead><tr><th>Name</th><th>Type</th><th></th></tr></thead><tbody>${rows.join("")}</tbody></table>`;

function propertiesHtml(schema: Json): string {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  return table(
    Object.entries(properties).map(([name, shape]) =>
      row(name, required.includes(name), shape, String(shape.description ?? "")),
    ),
  );
}

const parameterRow = ({ name, in: location, required, schema, description = "" }: OpenapiParameter) =>
  row(name, required, schema, [location, description].filter(Boolean).join(". "));

function contentHtml(content: Readonly<Record<string, { readonly schema: Json }>>): string {
  return Object.entries(content)
    .map(([type, { schema }]) => {
      const fields = schema.type === "object" ? propertiesHtml(schema) : "";
      return `<p><code>${escapeHtml(type)}</code>${fields ? "" : `: ${typeHtml(schema)}`}</p>${fields}`;
    })
    .join("\n");
}

const problemLinks = (description: string) =>
  escapeHtml(description).replace(
    /`(\w+)`/g,
    (_, code: string) => `<a href="${problemPath(code as ProblemCode)}"><code>${code}</code></a>`,
  );

function responseHtml(status: string, { description, content = {} }: OpenapiOperation["responses"][string]): string {
  if (Number(status) >= 400) return `<p>${status}: ${problemLinks(description)}</p>`;
  return `<p>${status}${Object.keys(content).length === 0 ? ", without a body" : ""}</p>${contentHtml(content)}`;
}

function operationHtml(method: string, path: string, operation: OpenapiOperation): string {
  const { operationId, summary, description, security, parameters, requestBody, responses, deprecated } = operation;
  const [credential] = security.flatMap((one) => Object.keys(one));
  return `<details id="${operationId}"><summary><span class="method">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}${deprecated ? " (deprecated)" : ""}</summary>
${description ? micromark(description) : ""}
<p>${credential ? `Authentication: <a href="#credentials">${credential}</a>` : "No authentication required"}</p>
${table(parameters.map(parameterRow))}
${requestBody ? `<h4>Request body</h4>${contentHtml(requestBody.content)}` : ""}
<h4>Responses</h4>
${Object.entries(responses)
  .map(([status, response]) => responseHtml(status, response))
  .join("\n")}
</details>`;
}

/** Renders an OpenAPI document as an HTML page without scripts or external resources. */
export function docsPage({ info, paths, components }: OpenapiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ tag: operation.tags[0] ?? "", path, method, operation })),
  );
  const byTag = Map.groupBy(operations, ({ tag }) => tag);
  const sections = Array.from(
    byTag,
    ([tag, all]) =>
      `<section id="tag-${escapeHtml(tag)}"><h2>${escapeHtml(tag)}</h2>\n${all.map(({ method, path, operation }) => operationHtml(method, path, operation)).join("\n")}\n</section>`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="${escapeHtml(name)}"><summary>${escapeHtml(name)}</summary>${schema.description ? inline(String(schema.description)) : ""}${propertiesHtml(schema) || `<p>${typeHtml(schema)}</p>`}</details>`,
  );
  const credentials = Object.entries(components.securitySchemes);
  const body = `<header><h1>${escapeHtml(info.title)}</h1>${micromark(info.description)}<p>Version ${escapeHtml(info.version)}, <a href="/v1/openapi.json">OpenAPI document</a></p></header>
<nav><ul>${[...byTag.keys()].map((tag) => `<li><a href="#tag-${escapeHtml(tag)}">${escapeHtml(tag)}</a></li>`).join("")}</ul></nav>
<main>
<section id="credentials"><h2>Authentication</h2>
${table(credentials.map(([name, scheme]) => `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(String(scheme.name ?? `Authorization: Bearer ${scheme.bearerFormat}`))}</td><td>${escapeHtml(String(scheme.description ?? ""))}</td></tr>`))}
</section>
${sections.join("\n")}
<section id="shapes"><h2>Schemas</h2>
${schemas.join("\n")}
</section>
</main>`;
  return htmlPage({ title: `${info.title} API reference`, body });
}
