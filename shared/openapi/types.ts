import type { Json } from "./json-schema.ts";

/**
 * OpenAPI 3.1 document, as far as the documentation page reads it.
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export interface OpenapiDocument extends Json {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: Json;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Json>>;
    readonly headers: Readonly<Record<string, Json>>;
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Json>>;
  };
}

/** Schema of a body and an example of it. */
interface OpenapiContent {
  readonly schema: Json;
  readonly example?: unknown;
}

/** Operation of a path, as far as the documentation page reads it. */
export interface OpenapiOperation extends Json {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly security: readonly Json[];
  readonly parameters: readonly OpenapiParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, OpenapiContent>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly $ref?: string;
        readonly description: string;
        readonly content?: Readonly<Record<string, OpenapiContent>>;
      }
    >
  >;
}

export interface OpenapiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
}
