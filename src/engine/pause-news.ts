import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import type { Failure, Reason } from '../domain/reason.ts';
import type { Paused } from '../store/work.ts';
import type { EngineEvent } from './events.ts';

export type LanePaused = Extract<EngineEvent, { kind: 'lane.paused' }>;

/** Calls in flight together are refused together: they are told once. */
const TELL_AGAIN_MS = 10_000;

/** What a settle paused, of a call to `model` that ended with `failure`; `null`: with an answer. */
export type PauseCaused = { readonly paused: Paused; readonly model: string; readonly failure: Failure | null };

/** Tells of pauses, and what to do about each. One for each run and process. */
export class PauseNews {
  readonly #manifest: ResolvedManifest;
  readonly #toldAtMs = new Map<string, number>();

  constructor(manifest: ResolvedManifest) {
    this.#manifest = manifest;
  }

  /** The event for a pause; `null` when it was told a moment ago. */
  of(caused: PauseCaused, nowMs: number): LanePaused | null {
    const event = eventOf(this.#manifest, caused);
    const key = JSON.stringify([event.provider, event.model, event.failure.reason]);
    const toldAtMs = this.#toldAtMs.get(key);
    if (toldAtMs !== undefined && nowMs >= toldAtMs && nowMs - toldAtMs < TELL_AGAIN_MS) return null;
    this.#toldAtMs.set(key, nowMs);
    return event;
  }
}

function eventOf(manifest: ResolvedManifest, { paused, model, failure }: PauseCaused): LanePaused {
  const { scope, reason, message, untilMs } = paused;
  const provider = manifest.models[model]?.provider ?? '';
  return {
    kind: 'lane.paused',
    provider,
    scope,
    model: scope === 'model' ? model : null,
    failure: { ...(failure ?? { class: 'rate' }), reason, message },
    untilMs,
    fix: untilMs === null ? mending(manifest, { reason, model, provider }) : null,
  };
}

type Blamed = { readonly reason: Reason; readonly model: string; readonly provider: string };

/** What a person can do about a pause that time does not end. */
function mending({ providers }: ResolvedManifest, { reason, model, provider }: Blamed): string {
  const keyName = providers[provider]?.apiKeyEnv ?? null;
  switch (reason) {
    case 'auth':
      return keyName === null ? `set providers.${provider}.apiKeyEnv` : `put a valid key into ${keyName}`;
    case 'quota':
      return 'add credit';
    case 'model_unknown':
    case 'unsupported':
      return `correct models.${model}`;
    default:
      return `correct providers.${provider}.baseUrl, or start the server`;
  }
}
