import { randomUUID } from 'node:crypto';
import { callCost } from '../../domain/call-cost.ts';
import type { Completion, CompletionRequest, StructuredMode } from '../../domain/completion.ts';
import { ProviderError, UserError } from '../../domain/errors.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedProvider } from '../../domain/manifest/resolved.ts';
import { usdOf } from '../../domain/money.ts';
import type { Failure } from '../../domain/reason.ts';
import { lesserMode } from '../../engine/call.ts';
import { preflight } from '../../engine/preflight.ts';
import { createProviderSet, type ProviderSet } from '../../engine/provider-set.ts';
import type { Inspection } from '../../store/maintenance.ts';
import type { CliIo } from '../io.ts';
import { makeProvider, trustInFile } from '../run/providers.ts';
import { counted, duration, money, roughly } from '../terminal/format.ts';
import { endpointName, modelName, usedProviders } from './doctor-manifest.ts';

/** For one token, and for the list of models: a person waits for it. A run gives a call the time that the manifest says. */
const LIMIT_MS = 20_000;
/** A lesser mode, and the other name of the output limit, in each of them. */
const MOST_CALLS = 6;

type OnlineOptions = {
  readonly allowHosts: readonly string[];
  /** Providers whose keys are not there. */
  readonly without: ReadonlySet<string>;
  /** Hears of each check as soon as it is known. */
  readonly onCheck: (check: Inspection) => void;
  /** How long an answer may take. */
  readonly limitMs?: number;
  /** Hears what is waited for. */
  readonly onWait: (text: string) => void;
};

/**
 * Asks the endpoints of a manifest as a run would before its first call, then each model for one token, all at once as far as the limits
 * of the manifest allow. Nothing of it is stored. Where the budget is 0 no call is made. Returns the checks in the manifest's order.
 */
export async function inspectOnline(io: CliIo, manifest: ResolvedManifest, options: OnlineOptions): Promise<Inspection[]> {
  const { onCheck, limitMs = LIMIT_MS } = options;
  const set = createProviderSet(manifest, (provider) => makeProvider(io, provider, trustInFile(options.allowHosts)));
  const providers = usedProviders(manifest).filter(({ id }) => !options.without.has(id));
  const models = Object.values(manifest.models).filter(({ provider }) => providers.some(({ id }) => id === provider));
  options.onWait(
    `asking ${counted(providers.length, 'endpoint')} and ${counted(models.length, 'model')}: each answers within ${roughly(limitMs)}, or is given up`,
  );
  try {
    const found = await Promise.all(providers.map((provider) => inspectProvider({ manifest, set, onCheck, limitMs }, provider)));
    return found.flat();
  } finally {
    await set.close();
  }
}

type World = {
  readonly manifest: ResolvedManifest;
  readonly set: ProviderSet;
  readonly onCheck: (check: Inspection) => void;
  readonly limitMs: number;
};

async function inspectProvider(world: World, provider: ResolvedProvider): Promise<Inspection[]> {
  const { manifest, onCheck } = world;
  const { endpoint, contexts } = await inspectEndpoint(world, provider);
  onCheck(endpoint);
  if (endpoint.status !== 'ok') return [endpoint];
  const models = Object.values(manifest.models).filter((model) => model.provider === provider.id);
  const found = new Map<string, Inspection>();
  const waiting = [...models];
  let isSilent = false;
  const askOneByOne = async (): Promise<void> => {
    for (let model = waiting.shift(); model !== undefined; model = waiting.shift()) {
      const asked = isSilent ? NOT_ASKED : await inspectModel(world, provider, model);
      isSilent ||= asked.isSilent === true;
      const check = { check: modelName(model), ...withContext(asked.found, model, contexts.get(model.id) ?? null) };
      found.set(model.id, check);
      onCheck(check);
    }
  };
  await Promise.all(Array.from({ length: Math.min(models.length, provider.concurrency, manifest.concurrency) }, askOneByOne));
  return [endpoint, ...models.flatMap(({ id }) => found.get(id) ?? [])];
}

type EndpointFound = { readonly endpoint: Inspection /** What it told, by model. */; readonly contexts: ReadonlyMap<string, number> };

async function inspectEndpoint({ manifest, set, limitMs }: World, provider: ResolvedProvider): Promise<EndpointFound> {
  const check = endpointName(provider);
  const where = provider.baseUrl ?? provider.type;
  const limit = AbortSignal.timeout(limitMs);
  try {
    const contexts = await preflight(manifest, [provider.id], set, limit);
    const found = limit.aborted
      ? silent(where, limitMs, `start the server, or correct providers.${provider.id}.baseUrl`)
      : ({ status: 'ok', message: `${where} answers`, next: [] } as const);
    return { endpoint: { check, ...found }, contexts };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { endpoint: { check, status: 'problem', message: `${error.code}: ${error.message}`, next: error.next }, contexts: new Map() };
  }
}

type Found = Omit<Inspection, 'check'>;
type Asked = { readonly found: Found /** It did not answer in time. */; readonly isSilent?: boolean };

function silent(who: string, limitMs: number, next: string): Found {
  return { status: 'problem', message: `${who} did not answer within ${roughly(limitMs)}`, next: [next] };
}

const NOT_ASKED: Asked = {
  found: { status: 'warning', message: 'not asked, because another model of this endpoint did not answer', next: [] },
};

async function inspectModel({ manifest, set, limitMs }: World, provider: ResolvedProvider, model: ResolvedModel): Promise<Asked> {
  if (provider.type === 'replay') return { found: { status: 'ok', message: 'answers come from a cassette; nothing is asked', next: [] } };
  if (manifest.budget?.usd === 0) {
    const next = ['raise budget.usd in the manifest, then the same command again'];
    return { found: { status: 'warning', message: 'not asked, because budget.usd is 0', next } };
  }
  const limit = AbortSignal.timeout(limitMs);
  const asked = await ask(await set.get(provider.id), model, limit);
  if (!('failure' in asked)) return { found: { status: 'ok', message: answeredText(model, asked), next: [] } };
  if (!limit.aborted) return { found: failed(asked.failure, provider, model) };
  const next = `the same command again when the server is less busy; a run waits as long as models.${model.id}.timeouts allows`;
  return { found: silent(model.model, limitMs, next), isSilent: true };
}

/** Whether a model that answers takes as much as the manifest believes; `told`: what its server says, `null`: nothing. */
function withContext(found: Found, { id, contextTokens: stated }: ResolvedModel, told: number | null): Found {
  if (told === null || found.status !== 'ok') return found;
  if (stated !== null && stated <= told) return { ...found, message: `${found.message}, takes ${told} tokens` };
  const belief = stated === null ? 'contextTokens is not stated' : `contextTokens = ${stated} is more`;
  return {
    status: 'warning',
    message: `${found.message}, takes ${told} tokens: ${belief}`,
    next: [`state "contextTokens": ${told} in models.${id} in the manifest`],
  };
}

type Answered = { readonly completion: Completion | null; readonly mode: StructuredMode; readonly calls: number };

/** One answered call; a server that refuses a form is asked for a lesser one, as in a run. */
async function ask(
  provider: Awaited<ReturnType<ProviderSet['get']>>,
  model: ResolvedModel,
  signal: AbortSignal,
): Promise<Answered | { readonly failure: Failure }> {
  let mode: StructuredMode = model.structuredOutput === 'auto' ? 'json_schema' : model.structuredOutput;
  for (let calls = 1; ; calls += 1) {
    const request = requestFor(model, mode);
    try {
      return { completion: await provider.complete(request, signal), mode, calls };
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const { failure } = error;
      // It answered: that one token is no whole answer is what was asked for.
      if (failure.class === 'quality') return { completion: null, mode, calls };
      const lesser = failure.sameMode === true ? mode : lesserMode(request.output);
      if (failure.class !== 'capability' || lesser === null || calls === MOST_CALLS) return { failure };
      mode = lesser;
    }
  }
}

const SCHEMA = { type: 'object', additionalProperties: false, required: ['ok'], properties: { ok: { type: 'boolean' } } };

function requestFor({ model, timeouts }: ResolvedModel, mode: StructuredMode): CompletionRequest {
  return {
    callToken: randomUUID(),
    attempt: 1,
    model,
    messages: [{ role: 'user', content: 'Answer with the JSON object {"ok": true}.' }],
    params: { maxOutputTokens: 1 },
    output: { format: 'json', schema: SCHEMA, strict: true, mode },
    timeouts,
  };
}

const MODES: Record<StructuredMode, string> = {
  json_schema: 'takes a JSON schema',
  json_object: 'takes JSON mode, no schema',
  prompt: 'takes no form: the schema stands in the prompt',
};

function answeredText(model: ResolvedModel, { completion, mode, calls }: Answered): string {
  const first = completion === null ? null : (completion.firstTokenMs ?? completion.latencyMs);
  const cost = completion === null ? null : callCost(completion, model);
  const parts = [
    first === null ? 'answers' : `first token after ${duration(first)}`,
    MODES[mode],
    counted(calls, 'call'),
    cost === null ? 'cost unknown' : cost > 0 && usdOf(cost) < 0.0001 ? 'less than $0.0001' : money(cost),
  ];
  return parts.join(', ');
}

function failed({ reason, message }: Failure, provider: ResolvedProvider, model: ResolvedModel): Found {
  return { status: 'problem', message: `${reason}: ${message}`, next: [mending(reason, provider, model)] };
}

function mending(reason: Failure['reason'], { id, apiKeyEnv }: ResolvedProvider, model: ResolvedModel): string {
  switch (reason) {
    case 'auth':
      return apiKeyEnv === null ? `set providers.${id}.apiKeyEnv` : `put a valid key into ${apiKeyEnv}`;
    case 'quota':
      return 'add credit with the provider';
    case 'model_unknown':
      return `fix models.${model.id}.model in the manifest`;
    case 'wrong_url':
    case 'connection':
      return `start the server, or correct providers.${id}.baseUrl`;
    default:
      return 'the same command again in a minute';
  }
}
