const office = "application/vnd.openxmlformats-officedocument";

const openDocument = "application/vnd.oasis.opendocument";

/** Formats of documents, by short name. `shared/files/extract-file.ts` reads them. Size limits: `shared/api/limits.ts`. */
export const documentTypes = {
  text: { mediaType: "text/plain", extensions: ["txt", "text", "log"] },
  markdown: { mediaType: "text/markdown", extensions: ["md", "markdown", "mdown"] },
  html: { mediaType: "text/html", extensions: ["html", "htm", "xhtml"] },
  csv: { mediaType: "text/csv", extensions: ["csv", "tsv"] },
  pdf: { mediaType: "application/pdf", extensions: ["pdf"] },
  docx: { mediaType: `${office}.wordprocessingml.document`, extensions: ["docx", "docm", "dotx"] },
  pptx: { mediaType: `${office}.presentationml.presentation`, extensions: ["pptx", "pptm", "ppsx"] },
  xlsx: { mediaType: `${office}.spreadsheetml.sheet`, extensions: ["xlsx", "xlsm", "xltx"] },
  odt: { mediaType: `${openDocument}.text`, extensions: ["odt", "ott"] },
  ods: { mediaType: `${openDocument}.spreadsheet`, extensions: ["ods", "ots"] },
  odp: { mediaType: `${openDocument}.presentation`, extensions: ["odp", "otp"] },
  rtf: { mediaType: "application/rtf", extensions: ["rtf"] },
  epub: { mediaType: "application/epub+zip", extensions: ["epub"] },
  msg: { mediaType: "application/vnd.ms-outlook", extensions: ["msg"] },
  email: { mediaType: "message/rfc822", extensions: ["eml"] },
} as const;
