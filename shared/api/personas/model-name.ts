/**
 * Pattern of a model name, such as `gpt-4.1`, `llama3.1:8b` or `anthropic/claude-sonnet-4-5`. It is valid in HTML, where slashes
 * and hyphens are escaped.
 */
export const modelNamePattern = "[A-Za-z0-9][A-Za-z0-9._:\\/@\\-]{0,127}";
