import { ProviderError, UserError } from '../domain/errors.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedProvider } from '../domain/manifest/resolved.ts';
import { nearest } from '../domain/nearest.ts';
import type { Failure } from '../domain/reason.ts';
import type { OfferedModel } from '../providers/provider.ts';
import type { ProviderSet } from './provider-set.ts';

const BEFORE_FIRST_CALL = 4;
const CLOSEST = 3;

/**
 * Asks each endpoint once for the models it offers, before anything is spent: a refused key, an unknown model and a dead server
 * are found here. An endpoint that does not say is taken as it is. Returns the context sizes that were told, by the manifest's names
 * of models. Throws `UserError` (exit 4).
 */
export async function preflight(
  manifest: ResolvedManifest,
  providerIds: Iterable<string>,
  set: ProviderSet,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const missing: Missing[] = [];
  const contexts = new Map<string, number>();
  for (const id of providerIds) {
    const provider = manifest.providers[id];
    if (provider === undefined) continue;
    const offered = await offeredModels(provider, set, signal);
    if (offered === null || offered.length === 0) continue;
    for (const model of Object.values(manifest.models).filter((each) => each.provider === id)) {
      const found = offeredAs(model.model, offered);
      if (found === null) missing.push({ model, provider, offered: offered.map(({ name }) => name) });
      else if (found.contextTokens !== null) contexts.set(model.id, found.contextTokens);
    }
  }
  if (missing.length > 0) throw unknownModels(missing);
  return contexts;
}

type Missing = { readonly model: ResolvedModel; readonly provider: ResolvedProvider; readonly offered: readonly string[] };

/** By its name; Ollama lists `name:latest` for what is asked as `name`. */
function offeredAs(model: string, offered: readonly OfferedModel[]): OfferedModel | null {
  return offered.find(({ name }) => name === model) ?? offered.find(({ name }) => name.startsWith(`${model}:`)) ?? null;
}

async function offeredModels(provider: ResolvedProvider, set: ProviderSet, signal: AbortSignal): Promise<readonly OfferedModel[] | null> {
  try {
    return await (await set.get(provider.id)).preflight(signal);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // Whoever stopped the run learns so from the run itself, which then starts nothing.
    if (signal.aborted) return null;
    throw endpointProblem(provider, error.failure, error);
  }
}

function endpointProblem({ id, baseUrl, apiKeyEnv }: ResolvedProvider, { reason, message }: Failure, cause: unknown): UserError {
  const where = baseUrl ?? id;
  if (reason === 'auth') {
    const what = apiKeyEnv === null ? `${where} wants a key, and provider "${id}" sends none` : `${where} refused the key in ${apiKeyEnv}`;
    const next = apiKeyEnv === null ? `set providers.${id}.apiKeyEnv` : `put a valid key into ${apiKeyEnv}`;
    return problem('E12', `${what} (${message}). 0 jobs ran; nothing was charged`, [next], cause);
  }
  const next = [`start the server, or correct providers.${id}.baseUrl`];
  return problem('E14', `cannot use ${where} for provider "${id}": ${message}. Nothing was spent`, next, cause);
}

function unknownModels(missing: readonly Missing[]): UserError {
  const steps = missing.map(({ model }) => `fix models.${model.id}.model in the manifest`);
  return problem('E13', missing.map(unknownText).join('; '), steps);
}

function unknownText({ model, provider, offered }: Missing): string {
  const closest = nearest(model.model, offered, CLOSEST).join(', ');
  return `model "${model.model}" is not offered by ${provider.baseUrl ?? provider.id}. Closest offered: ${closest}`;
}

function problem(code: string, message: string, next: readonly string[], cause?: unknown): UserError {
  return new UserError({ code, exitCode: BEFORE_FIRST_CALL, message, next, cause });
}
