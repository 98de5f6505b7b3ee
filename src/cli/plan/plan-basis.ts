import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import type { Price } from '../../domain/money.ts';
import type { ModelEstimate } from '../../engine/plan-cost.ts';
import type { TimeBasis, TimeEstimate } from '../../engine/plan-time.ts';
import { duration, roughly } from '../terminal/format.ts';

/** On what the costs rest. */
export function basisLines({ models }: ResolvedManifest, estimates: readonly ModelEstimate[]): string[] {
  const prices = new Map(Object.values(models).map(({ id, price }) => [id, priceText(price)]));
  const lengths = new Map(estimates.flatMap(({ model, outputBasis }) => (outputBasis === null ? [] : [[model, BASES[outputBasis]]])));
  return [
    `prices: ${grouped(prices)}`,
    ...(lengths.size === 0 ? [] : [`length of answers: ${grouped(lengths)}`]),
    "tokens: counted as OpenAI's models count them; AT MOST: one try of each call; retries and re-asks come on top",
  ];
}

/** How long it will take, and why; nothing where nothing is asked. */
export function timeLine({ slowest, untimed }: TimeEstimate): string[] {
  const missing = untimed.length === 0 ? '' : `no call of ${untimed.map((model) => JSON.stringify(model)).join(', ')} was timed yet`;
  if (slowest === null) return missing === '' ? [] : [`time: unknown, ${missing}`];
  const about = slowest.ms < SECOND_MS ? 'less than a second' : `${missing === '' ? 'about' : 'at least'} ${roughly(slowest.ms)}`;
  return [`time: ${about} (${timeBasis(slowest.basis)})${missing === '' ? '' : `; ${missing}`}`];
}

const SECOND_MS = 1000;

function timeBasis(basis: TimeBasis): string {
  if (basis.by !== 'calls') return `${basis.name}: ${basis.perMinute} ${basis.by} a minute`;
  const { name, calls, latencyMs, atOnce } = basis;
  return `${name === null ? '' : `${name}: `}${calls} × ${duration(latencyMs)} ÷ ${atOnce}`;
}

function priceText(price: Price | 'free' | null): string {
  if (price === null) return 'unknown';
  if (price === 'free') return 'free';
  const origin = price.listed === true ? 'list price' : 'manifest';
  return price.asOf === undefined ? origin : `${origin} of ${price.asOf}`;
}

const BASES = {
  measured: 'as of earlier ones',
  half: 'half of maxOutputTokens',
  mixed: 'as of earlier ones, where there are any, else half of maxOutputTokens',
};

/** `words (a, b); other words (c)`. */
function grouped(wordsOf: ReadonlyMap<string, string>): string {
  const all = [...new Set(wordsOf.values())];
  return all.map((words) => `${words} (${[...wordsOf.keys()].filter((model) => wordsOf.get(model) === words).join(', ')})`).join('; ');
}
