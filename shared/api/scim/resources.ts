import * as v from "valibot";
import { describe, Integer } from "../fields.ts";

/** Media type of requests and responses (RFC 7644, section 3.1). */
export const SCIM_MEDIA_TYPE = "application/scim+json";

const Text = v.optional(v.string());

const Meta = v.object({
  resourceType: v.string(),
  created: v.string(),
  lastModified: v.string(),
  location: v.string(),
  version: v.string(),
});

/** Tools that read the document take a property named `$ref`, the address of the resource, for a reference to a schema. */
const Reference = v.looseObject({ value: v.string(), display: Text, type: Text });

/** User as SCIM describes it. Requests can leave attributes out of the response. */
export const ScimUser = v.object({
  schemas: v.array(v.string()),
  id: describe(v.string(), "The id of the user on `/v1`."),
  externalId: Text,
  userName: Text,
  name: v.optional(v.object({ formatted: Text, familyName: Text, givenName: Text })),
  displayName: Text,
  title: Text,
  preferredLanguage: Text,
  active: v.optional(v.boolean()),
  emails: v.optional(v.array(v.object({ value: Text, type: Text, display: Text, primary: v.optional(v.boolean()) }))),
  groups: v.optional(v.array(Reference)),
  meta: v.optional(Meta),
});

/** Group as SCIM describes it: a group of `/v1/groups`. Requests can leave attributes out of the response. */
export const ScimGroup = v.object({
  schemas: v.array(v.string()),
  id: describe(v.string(), "The id of the group on `/v1`."),
  externalId: Text,
  displayName: Text,
  members: v.optional(v.array(Reference)),
  meta: v.optional(Meta),
});

export const scimListOf = (resource: v.GenericSchema) =>
  v.object({
    schemas: v.array(v.string()),
    totalResults: Integer,
    startIndex: Integer,
    itemsPerPage: Integer,
    Resources: v.array(resource),
  });

const Projection = {
  attributes: describe(
    v.optional(v.pipe(v.string(), v.maxLength(2_000))),
    "Attributes to return, such as `userName,emails.value`.",
  ),
  excludedAttributes: describe(
    v.optional(v.pipe(v.string(), v.maxLength(2_000))),
    "Attributes to leave out, such as `members`.",
  ),
};

/** Whole number in a query. Numbers out of range count as the next one in range (RFC 7644, section 3.4.2.4). */
const count = (byDefault: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.regex(/^-?\d{1,9}$/, "must be a whole number"),
      v.transform(Number),
      v.metadata({ jsonSchema: { type: "integer" } }),
    ),
    byDefault,
  );

export const ScimListQuery = v.object({
  filter: describe(
    v.optional(v.pipe(v.string(), v.maxLength(2_000))),
    'A filter, such as `userName eq "ann@example.com"`.',
  ),
  startIndex: describe(count("1"), "The position of the first result, from 1."),
  count: describe(count("100"), "The number of results, 200 at most."),
  ...Projection,
});

export const ScimProjectionQuery = v.object(Projection);

export const ScimUserBody = v.pipe(
  v.looseObject({ userName: v.optional(v.unknown()) }),
  v.description("A SCIM user. Attributes that the schema does not have are ignored."),
  v.metadata({
    examples: [
      {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        userName: "ann@example.com",
        externalId: "00u1abcd",
        name: { givenName: "Ann", familyName: "Lee" },
        emails: [{ value: "ann@example.com", type: "work", primary: true }],
        active: true,
      },
    ],
  }),
);

export const ScimGroupBody = v.pipe(
  v.looseObject({ displayName: v.optional(v.unknown()) }),
  v.description("A SCIM group. Attributes that the schema does not have are ignored."),
  v.metadata({
    examples: [
      {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
        displayName: "Support",
        members: [{ value: "00u1abcd" }],
      },
    ],
  }),
);

export const ScimPatchBody = v.pipe(
  v.looseObject({ Operations: v.optional(v.unknown()) }),
  v.description("A SCIM PATCH request (RFC 7644, section 3.5.2)."),
  v.metadata({
    examples: [
      {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", path: "active", value: false }],
      },
    ],
  }),
);
