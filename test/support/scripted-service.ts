import { type Script, startUpstream, type Upstream } from "./models/upstream.ts";
import { type Switchboard, type SwitchboardOptions, startSwitchboard } from "./switchboard.ts";

/** An instance whose model says what a test tells it to. */
export interface ScriptedService extends Switchboard {
  readonly upstream: Upstream;
}

/** How to start one. */
export interface ScriptedServiceOptions extends SwitchboardOptions {
  /** What the model says at first; by default as `startUpstream` has it. */
  readonly script?: Script;
}

/** Starts a provider and an instance in front of it; both stop together. */
export async function startScriptedService(options: ScriptedServiceOptions = {}): Promise<ScriptedService> {
  const { script, env, ...others } = options;
  const upstream = await startUpstream(script);
  const model = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl, MODEL_ID: "gpt-4o" };
  const service = await startSwitchboard({ ...others, env: { ...model, ...env } }).catch(async (error) => {
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
