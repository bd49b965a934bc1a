import { listResponseItemsRoute } from "#shared/api/openai/response-operations.ts";
import type { ResponseRequest } from "#shared/api/openai/responses.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { openaiFormat } from "#shared/openai/openai-error-response.ts";
import { toItemPage, toItems, toListedItem } from "#shared/openai/responses/items.ts";
import { getResponseInput } from "#shared/openai/responses/response-store.ts";

export const handler = endpoint(
  listResponseItemsRoute,
  async ({ principal, params, query }) => {
    const { messages, response } = await getResponseInput(principal, params.id);
    const items = toItems(messages, response as Pick<ResponseRequest, "tools">);
    const place = params.id.slice("resp_".length);
    return toItemPage(
      items.map((item, index) => toListedItem(item, `${place}_input${index}`)),
      query,
    );
  },
  openaiFormat,
);
