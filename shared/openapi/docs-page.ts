import { micromark } from "micromark";
import { escaped, htmlPage } from "../lib/html-page.ts";
import type { OpenapiDocument, OpenapiOperation, OpenapiParameter } from "./document.ts";

type Json = Record<string, unknown>;

const linkTo = ($ref: unknown) => {
  const name = String($ref).split("/").at(-1) ?? "";
  return `<a href="#${escaped(name)}">${escaped(name)}</a>`;
};

const list = (schemas: unknown, between: string) => (schemas as Json[]).map(shapeHtml).join(between);

/** A schema in a word or two. */
function shapeHtml(schema: Json): string {
  if (schema.$ref) return linkTo(schema.$ref);
  if (schema.const !== undefined) return `<code>${escaped(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return (schema.enum as unknown[]).map((one) => `<code>${escaped(String(one))}</code>`).join(" | ");
  if (schema.anyOf) return list(schema.anyOf, " | ");
  if (schema.oneOf) return list(schema.oneOf, " | ");
  if (schema.type === "array") return `array of ${shapeHtml((schema.items ?? {}) as Json)}`;
  return escaped(String(schema.type ?? "anything"));
}

const limitNames: Readonly<Record<string, string>> = {
  minLength: "at least %s characters",
  maxLength: "at most %s characters",
  minimum: "at least %s",
  maximum: "at most %s",
  minItems: "at least %s entries",
  maxItems: "at most %s entries",
  default: "by default %s",
};

/** What more there is to say of a value. */
function remarksHtml(schema: Json, description: string): string {
  const limits = Object.entries(limitNames).flatMap(([name, text]) =>
    schema[name] === undefined || schema[name] === null ? [] : [text.replace("%s", JSON.stringify(schema[name]))],
  );
  return [description && inline(description), limits.length > 0 && `(${escaped(limits.join(", "))})`]
    .filter(Boolean)
    .join(" ");
}

/** Markdown without a paragraph around it. */
const inline = (text: string) => micromark(text).replace(/^<p>|<\/p>$/g, "");

const row = (name: string, required: boolean, schema: Json, description: string) =>
  `<tr><td><code>${escaped(name)}</code>${required ? " *" : ""}</td><td>${shapeHtml(schema)}</td><td>${remarksHtml(schema, description)}</td></tr>`;

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

const parameterRow = ({ name, in: place, required, schema, description = "" }: OpenapiParameter) =>
  row(name, required, schema, [place, description].filter(Boolean).join(". "));

function contentHtml(content: Readonly<Record<string, { readonly schema: Json }>>): string {
  return Object.entries(content)
    .map(([type, { schema }]) => {
      const fields = schema.type === "object" ? propertiesHtml(schema) : "";
      return `<p><code>${escaped(type)}</code>${fields ? "" : `: ${shapeHtml(schema)}`}</p>${fields}`;
    })
    .join("\n");
}

const problemLinks = (description: string) =>
  escaped(description).replace(
    /`(\w+)`/g,
    (_, code: string) => `<a href="/problems/${code.replaceAll("_", "-")}"><code>${code}</code></a>`,
  );

function responseHtml(status: string, { description, content = {} }: OpenapiOperation["responses"][string]): string {
  if (Number(status) >= 400) return `<p>${status}: ${problemLinks(description)}</p>`;
  return `<p>${status}${Object.keys(content).length === 0 ? ", without a body" : ""}</p>${contentHtml(content)}`;
}

function operationHtml(method: string, path: string, operation: OpenapiOperation): string {
  const { operationId, summary, description, security, parameters, requestBody, responses, deprecated } = operation;
  const [credential] = security.flatMap((one) => Object.keys(one));
  return `<details id="${operationId}"><summary><span class="method">${method.toUpperCase()}</span> <code>${escaped(path)}</code> ${escaped(summary)}${deprecated ? " (deprecated)" : ""}</summary>
${description ? micromark(description) : ""}
<p>${credential ? `Credential: <a href="#credentials">${credential}</a>` : "Open: no credential"}</p>
${table(parameters.map(parameterRow))}
${requestBody ? `<h4>Body</h4>${contentHtml(requestBody.content)}` : ""}
<h4>Answers</h4>
${Object.entries(responses)
  .map(([status, response]) => responseHtml(status, response))
  .join("\n")}
</details>`;
}

/** An OpenAPI document as a page to read. It needs no script, and nothing from elsewhere. */
export function docsPage({ info, paths, components }: OpenapiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ tag: operation.tags[0] ?? "", path, method, operation })),
  );
  const byTag = Map.groupBy(operations, ({ tag }) => tag);
  const sections = Array.from(
    byTag,
    ([tag, all]) =>
      `<section id="tag-${escaped(tag)}"><h2>${escaped(tag)}</h2>\n${all.map(({ method, path, operation }) => operationHtml(method, path, operation)).join("\n")}\n</section>`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="${escaped(name)}"><summary>${escaped(name)}</summary>${schema.description ? inline(String(schema.description)) : ""}${propertiesHtml(schema) || `<p>${shapeHtml(schema)}</p>`}</details>`,
  );
  const credentials = Object.entries(components.securitySchemes);
  const body = `<header><h1>${escaped(info.title)}</h1>${micromark(info.description)}<p>Version ${escaped(info.version)}, <a href="/v1/openapi.json">as an OpenAPI document</a></p></header>
<nav><ul>${[...byTag.keys()].map((tag) => `<li><a href="#tag-${escaped(tag)}">${escaped(tag)}</a></li>`).join("")}</ul></nav>
<main>
<section id="credentials"><h2>Credentials</h2>
${table(credentials.map(([name, scheme]) => `<tr><td><code>${escaped(name)}</code></td><td>${escaped(String(scheme.name ?? `Authorization: Bearer ${scheme.bearerFormat}`))}</td><td>${escaped(String(scheme.description ?? ""))}</td></tr>`))}
</section>
${sections.join("\n")}
<section id="shapes"><h2>Shapes</h2>
${schemas.join("\n")}
</section>
</main>`;
  return htmlPage({ title: `${info.title}: the interface`, body });
}
