import type { ResolvedModel, ResolvedProvider } from '../domain/manifest/resolved.ts';
import type { Price } from '../domain/money.ts';
import { LIST_PRICES, type ListPrice } from './list-prices.ts';

/** The day of a model's release, as vendors append it to its name. */
const RELEASE = /-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;

/** Google's own spelling. */
const PREFIX = /^models\//;

/** A faster or slower service has other prices; these are the ordinary one. */
const ORDINARY_TIERS: ReadonlySet<unknown> = new Set([undefined, 'default', 'auto', 'standard']);

/** What a model costs: as the manifest states it, else by the vendor's list on the vendor's own host, else `null`: unknown, never 0. */
export function priceOf(
  model: Pick<ResolvedModel, 'model' | 'price' | 'params'>,
  { baseUrl }: Pick<ResolvedProvider, 'baseUrl'>,
): Price | 'free' | null {
  if (model.price !== null) return model.price;
  if (baseUrl === null || !ORDINARY_TIERS.has(model.params.service_tier)) return null;
  const listed = listPrice(new URL(baseUrl).hostname, model.model.replace(PREFIX, ''));
  return listed === null ? null : { ...listed, listed: true };
}

/** By its exact name, else without the day of its release. */
function listPrice(host: string, name: string): ListPrice | null {
  const prices = own(LIST_PRICES, host);
  if (prices === null) return null;
  return own(prices, name) ?? own(prices, name.replace(RELEASE, ''));
}

function own<Value>(entries: { readonly [key: string]: Value }, key: string): Value | null {
  return Object.hasOwn(entries, key) ? (entries[key] ?? null) : null;
}
