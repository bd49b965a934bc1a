import { ServiceError } from "../lib/errors.ts";
import { toList } from "./list.ts";
import { groupSchema, type ScimAttribute, type ScimSchema, userSchema } from "./schemas.ts";

const schemas = [userSchema, groupSchema];

const schemaUrn = (name: string) => `urn:ietf:params:scim:schemas:core:2.0:${name}`;

/** Adds the default characteristics of RFC 7643, section 2.2, to the description of an attribute. */
function toAttribute({ subAttributes, ...attribute }: ScimAttribute): Record<string, unknown> {
  return {
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...attribute,
    ...(subAttributes && { subAttributes: subAttributes.map(toAttribute) }),
  };
}

const toSchema = (base: string, { id, name, description, attributes }: ScimSchema) => ({
  schemas: [schemaUrn("Schema")],
  id,
  name,
  description,
  attributes: attributes.map(toAttribute),
  meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
});

const toResourceType = (base: string, { id, name, endpoint, description }: ScimSchema) => ({
  schemas: [schemaUrn("ResourceType")],
  id: name,
  name,
  endpoint,
  description,
  schema: id,
  meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
});

const toServiceProviderConfig = (base: string) => ({
  schemas: [schemaUrn("ServiceProviderConfig")],
  documentationUri: `${base.replace(/\/scim\/v2$/, "")}/docs/guides/scim`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 200 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "API key",
      description: "An API key with the scope scim, as a bearer token.",
      specUri: "https://www.rfc-editor.org/info/rfc6750",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});

/**
 * Returns the SCIM metadata at a path below the base URL: service provider configuration, resource types or schemas (RFC
 * 7644, section 4).
 * @throws ServiceError `not_found`; `forbidden` if the request has a filter
 */
export function getMetadata(base: string, path: string, filter: string | undefined): object {
  if (filter !== undefined) throw new ServiceError("forbidden", "Metadata cannot be filtered.");
  const [kind, id, ...rest] = path.split("/");
  const resources: { readonly id: string }[] =
    kind === "Schemas"
      ? schemas.map((schema) => toSchema(base, schema))
      : kind === "ResourceTypes"
        ? schemas.map((schema) => toResourceType(base, schema))
        : [];
  if (path === "ServiceProviderConfig") return toServiceProviderConfig(base);
  if (id === undefined && resources.length > 0) return toList(resources, { startIndex: 1, count: resources.length });
  const resource = resources.find((each) => each.id === id);
  if (!resource || rest.length > 0) throw new ServiceError("not_found", "The resource does not exist.");
  return resource;
}
