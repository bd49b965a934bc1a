import { env } from "#shared/lib/env.ts";
import { loadSecret } from "#shared/lib/secrets.ts";
import { probeChat, probeHealth } from "#shared/probe/probe-chat.ts";

export const handler = async (): Promise<void> => {
  const { PROBE_URL, PROBE_KEY, PROBE_PERSONA_ID } = env("PROBE_URL", "PROBE_KEY", "PROBE_PERSONA_ID");
  if (PROBE_KEY === "") await probeHealth({ baseUrl: PROBE_URL });
  else await probeChat({ baseUrl: PROBE_URL, key: () => loadSecret(PROBE_KEY), personaId: PROBE_PERSONA_ID });
};
