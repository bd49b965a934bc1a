import { env } from "#shared/lib/env.ts";
import { loadSecret } from "#shared/lib/secrets.ts";
import { probeChat } from "#shared/probe/probe-chat.ts";

export const handler = async (): Promise<void> => {
  const { PROBE_URL, PROBE_KEY, PROBE_PERSONA_ID } = env("PROBE_URL", "PROBE_KEY", "PROBE_PERSONA_ID");
  await probeChat({ baseUrl: PROBE_URL, key: () => loadSecret(PROBE_KEY), personaId: PROBE_PERSONA_ID });
};
