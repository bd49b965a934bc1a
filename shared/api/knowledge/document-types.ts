const office = "application/vnd.openxmlformats-officedocument";

/** Formats of documents, by short name. */
export const documentTypes = {
  text: { mediaType: "text/plain", extensions: ["txt", "text", "log"] },
  markdown: { mediaType: "text/markdown", extensions: ["md", "markdown", "mdown"] },
  html: { mediaType: "text/html", extensions: ["html", "htm", "xhtml"] },
  csv: { mediaType: "text/csv", extensions: ["csv", "tsv"] },
  pdf: { mediaType: "application/pdf", extensions: ["pdf"] },
  docx: { mediaType: `${office}.wordprocessingml.document`, extensions: ["docx", "docm", "dotx"] },
  pptx: { mediaType: `${office}.presentationml.presentation`, extensions: ["pptx", "pptm", "ppsx"] },
  xlsx: { mediaType: `${office}.spreadsheetml.sheet`, extensions: ["xlsx", "xlsm", "xltx"] },
  epub: { mediaType: "application/epub+zip", extensions: ["epub"] },
  email: { mediaType: "message/rfc822", extensions: ["eml"] },
} as const;
