import { callOnce } from './openai-call.ts';
import { type OpenAiOptions, openEndpoint } from './openai-endpoint.ts';
import { listModels } from './preflight.ts';
import type { Provider } from './provider.ts';
import { withoutSecrets } from './without-secrets.ts';

/**
 * Any server that speaks OpenAI's chat completions. Retries nothing, takes nothing from the environment, follows no redirect.
 * Throws `UserError` when the key or a header cannot be sent. Import this module lazily: it loads the SDK.
 */
export function createOpenAiProvider(options: OpenAiOptions): Provider {
  const endpoint = openEndpoint(options);
  const provider: Provider = {
    complete: (request, signal, listener) => callOnce(endpoint, { request, signal, listener }),
    preflight: (signal) => listModels(endpoint, signal),
    close: () => endpoint.agent.destroy(),
  };
  return withoutSecrets(provider, endpoint.secrets);
}
