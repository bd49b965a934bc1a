import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { toLine } from "../../api/fields.ts";
import { invalidField, ServiceError } from "../../lib/errors.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";

interface FormFile {
  /** File name without a path. */
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
  /** True if the file exceeds `maxFileBytes`. `content` is then incomplete. */
  readonly isTruncated: boolean;
}

/** Parsed body of a `multipart/form-data` request. */
interface FormData {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly FormFile[];
}

interface FormLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

const MAX_FIELD_BYTES = 16_384;
const MAX_FIELDS = 20;

/** Returns the last segment of a file name, because some programs send the whole path on the user's computer. */
const toBaseName = (name: string) => toLine(name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1));

const fieldError = (path: string, message: string) => invalidField(path, "invalid_value", message);

/**
 * Parses the body of a `multipart/form-data` request.
 * @throws ServiceError `invalid_structure` for a malformed body, `validation_failed` for too many parts or too long a
 * field
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
export function parseFormData(headers: RequestHeaders, body: Buffer, limits: FormLimits): Promise<FormData> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    const files: FormFile[] = [];
    const malformed = () => reject(new ServiceError("invalid_structure", "The multipart/form-data body is malformed."));
    let parser: BusboyInstance;
    try {
      parser = new Busboy({
        headers: { "content-type": headers["content-type"] ?? "" },
        limits: {
          files: limits.maxFiles,
          fileSize: limits.maxFileBytes,
          fields: MAX_FIELDS,
          fieldSize: MAX_FIELD_BYTES,
          headerPairs: 50,
        },
      });
    } catch {
      malformed();
      return;
    }
    parser.on("file", (_, stream, name, __, mediaType) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () =>
        files.push({
          name: toBaseName(name ?? ""),
          mediaType,
          content: Buffer.concat(chunks),
          isTruncated: (stream as { truncated?: boolean }).truncated === true,
        }),
      );
    });
    parser.on("field", (name, value, _, isTruncated) => {
      if (isTruncated) reject(fieldError(name, "is too long"));
      if (value.includes("\ufffd") && !body.includes("\ufffd")) reject(fieldError(name, "is not encoded as UTF-8"));
      // A field named `__proto__` must not change the object's prototype.
      Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
    });
    parser.on("filesLimit", () => reject(fieldError("files", `must be at most ${limits.maxFiles} files`)));
    parser.on("fieldsLimit", () => reject(fieldError("", `must have at most ${MAX_FIELDS} fields`)));
    parser.on("error", malformed);
    parser.on("finish", () => resolve({ fields, files }));
    parser.end(body);
  });
}
