import type { Completion } from '../domain/completion.ts';
import { ProviderError } from '../domain/errors.ts';
import type { Failure } from '../domain/reason.ts';
import type { CallListener, Provider } from './provider.ts';
import { type Secrets, scrubValues } from './secrets.ts';

const LONGEST_NAME = 200;
const LONGEST_ID = 128;

/**
 * The provider, with the secrets taken out of all that it returns and throws: servers send keys back in messages, codes, request
 * ids and names of models. The one place that everything passes, so that no field is forgotten. Names and ids get a length, too.
 */
export function withoutSecrets(inner: Provider, secrets: Secrets): Provider {
  const guarded = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await work;
    } catch (error) {
      throw error instanceof ProviderError ? cleanProviderError(error, secrets) : cleanError(error, secrets);
    }
  };
  return {
    complete: async (request, signal, listener) => {
      const cleaned = listener === undefined ? undefined : cleanListener(listener, secrets);
      return cleanCompletion(await guarded(inner.complete(request, signal, cleaned)), secrets);
    },
    preflight: async (signal) => {
      const models = await guarded(inner.preflight(signal));
      return models === null ? null : models.map((model) => ({ ...model, name: cleanName(model.name, secrets) }));
    },
    close: () => inner.close(),
  };
}

function cleanListener(listener: CallListener, secrets: Secrets): CallListener {
  return {
    onHeaders: (header) =>
      listener.onHeaders((name) => {
        const value = header(name);
        return value === null ? null : scrubValues(value, secrets);
      }),
    onFirstToken: () => listener.onFirstToken(),
  };
}

/** `wireBody` is what we sent: no key is in it. */
function cleanCompletion(completion: Completion, secrets: Secrets): Completion {
  const { content, refusal, model, requestId } = completion;
  return {
    ...completion,
    content: scrubValues(content, secrets),
    refusal: refusal === null ? null : scrubValues(refusal, secrets),
    model: cleanName(model, secrets),
    requestId: requestId === null ? null : cleanId(requestId, secrets),
  };
}

function cleanProviderError({ failure, sent, cause }: ProviderError, secrets: Secrets): ProviderError {
  return new ProviderError(cleanFailure(failure, secrets), { sent, cause: cleanError(cause, secrets) });
}

function cleanFailure(failure: Failure, secrets: Secrets): Failure {
  const { message, code, requestId, partial } = failure;
  return {
    ...failure,
    message: scrubValues(message, secrets),
    ...(code === undefined ? {} : { code: scrubValues(code, secrets) }),
    ...(requestId === undefined ? {} : { requestId: cleanId(requestId, secrets) }),
    ...(partial === undefined ? {} : { partial: scrubValues(partial, secrets) }),
  };
}

/** Only what an error says: the SDK hangs headers and bodies of the answer on its own. Anything that is no `Error` is dropped. */
function cleanError(error: unknown, secrets: Secrets): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  // Node quotes a few characters around the fault, and half a key is not known for one.
  if (error instanceof SyntaxError) return Object.assign(new Error('what the server sent is not JSON'), { name: error.name });
  const copy = new Error(scrubValues(error.message, secrets), { cause: cleanError(error.cause, secrets) });
  copy.name = error.name;
  copy.stack = scrubValues(error.stack ?? '', secrets);
  return copy;
}

// Cut after the secrets are out: half a key would not be known for one.
function cleanName(name: string, secrets: Secrets): string {
  return scrubValues(name, secrets).slice(0, LONGEST_NAME);
}

function cleanId(id: string, secrets: Secrets): string {
  return scrubValues(id, secrets)
    .replace(/[^\w.:/+=@[\]-]/g, '_')
    .slice(0, LONGEST_ID);
}
