/** Reasons for which a document could not be indexed, with the message that tells the user what to do. */
export const extractionFailures = {
  empty: "The document contains no visible text. Add a file with text.",
  encrypted: "The file is encrypted. Remove its password and upload it again.",
  scanned_only: "The file contains only images of pages. Run text recognition (OCR) on it and upload the result.",
  corrupt: "The file is damaged and cannot be read. Open it in its program, save it again and upload the new file.",
  mislabeled: "The content of the file does not match its name. Give it the extension of its format.",
  unknown_encoding:
    "The encoding of the text could not be recognized for certain. Save it as UTF-8 and upload the new file.",
  unsupported:
    "This format cannot be read. Upload PDF, Office (.docx, .pptx, .xlsx), OpenDocument, RTF, CSV, EPUB, HTML, Markdown, plain text or e-mail (.eml, .msg).",
  too_large: "The document contains too much text. Split it into smaller files.",
  too_many_pages: "The file has more than 2,000 pages. Split it into smaller files.",
  suspicious: "The file expands to far more data than its size suggests. Save it again and upload the new file.",
  timed_out: "Reading the file took too long. Split it into smaller files or save it in a simpler format.",
  out_of_memory: "Reading the file took too much memory. Split it into smaller files or save it in a simpler format.",
  upload_missing: "The file was not uploaded in time. Start a new upload.",
  processing_failed: "The document could not be processed. Upload it again, or contact support if this repeats.",
} as const;
