import { type Script, startUpstream, type Upstream } from "./models/upstream.ts";
import { type Switchboard, type SwitchboardOptions, startSwitchboard } from "./switchboard.ts";

/** Instance whose model provider is scripted by the test. */
export interface ScriptedService extends Switchboard {
  readonly upstream: Upstream;
}

export interface ScriptedServiceOptions extends SwitchboardOptions {
  /** Initial script of the provider; the default of `startUpstream` if omitted. */
  readonly script?: Script;
}

/** Starts a scripted provider and an instance that uses it; `stop` stops both. */
export async function startScriptedService(options: ScriptedServiceOptions = {}): Promise<ScriptedService> {
  const { script, env, ...switchboardOptions } = options;
  const upstream = await startUpstream(script);
  const model = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl, MODEL_ID: "gpt-4o" };
  const service = await startSwitchboard({ ...switchboardOptions, env: { ...model, ...env } }).catch(async (error) => {
    await upstream.stop();
    throw error;
  });
  return {
    ...service,
    upstream,
    async stop(signal) {
      await service.stop(signal);
      await upstream.stop();
    },
  };
}
