import type { Json } from '../../domain/canonical-json.ts';
import { dottedOf, type Path } from '../../domain/manifest/path.ts';
import { valueAt } from '../../domain/manifest/raw.ts';
import { placeOf } from '../../domain/manifest/source.ts';
import type { Price } from '../../domain/money.ts';
import { isServer, shownLocation } from '../../store/location.ts';
import type { SettingOptions } from '../commands/options.ts';
import type { Globals } from '../globals.ts';
import type { LoadedManifest } from '../plan/prepare.ts';
import { CONFIG_SETTINGS } from './config-settings.ts';

/**
 * A setting or field, what it is, and who said so: `flag --concurrency`, `AIEVAL_CONCURRENCY`, `manifest.json:12:3`, `user config /path`,
 * `default`.
 */
export type Origin = { readonly name: string; readonly value: string; readonly from: string };

/**
 * Where each setting of this plan or run came from, and each field of its manifest that decides what it costs and when it passes; of files of
 * variables only the names. Settings first, in the order of their table.
 */
export function originsOf(loaded: LoadedManifest, globals: Globals, options: SettingOptions): readonly Origin[] {
  return [
    ...globals.envFiles.map(({ path, names }) => ({ name: 'variables', value: names.join(', ') || 'none that counts', from: path })),
    ...globalOrigins(globals),
    ...OF_COMMANDS.map((key) => commandOrigin(key, loaded, options)),
    ...manifestOrigins(loaded),
  ];
}

function globalOrigins({ said, db: place, out }: Globals): Origin[] {
  const server = place !== null && isServer(place);
  const [db, store] = server ? [null, shownLocation(place)] : [place, null];
  const values = { db, store, out, display: said.display.value, logFormat: said.logFormat.value };
  const switches = { noColor: said.noColor.value, noInput: said.noInput.value, trustFs: said.trustFs.value };
  const keys = ['db', 'store', 'out', 'display', 'logFormat', 'noColor', 'noInput', 'trustFs'] as const;
  return keys.map((key) => ({
    name: key,
    value: String({ ...values, ...switches }[key] ?? CONFIG_SETTINGS[key].fallback),
    from: said[key].from,
  }));
}

const OF_COMMANDS = ['profile', 'concurrency', 'maxCost', 'maxJobs'] as const;

function commandOrigin(key: (typeof OF_COMMANDS)[number], loaded: LoadedManifest, options: SettingOptions): Origin {
  const { flag, field, fallback } = CONFIG_SETTINGS[key];
  const { from = {}, unstated = {} } = options.layers ?? {};
  const said = options[key];
  if (said !== undefined) return { name: key, value: String(said), from: from[key] ?? `flag ${flag}` };
  const stated = field === null ? undefined : valueAt(loaded.source.value, field);
  if (field !== null && stated !== undefined) return { name: key, value: shown(stated), from: placeOf(loaded.source, field) };
  const unsaid = key === 'profile' ? undefined : unstated[key];
  if (unsaid !== undefined) return { name: key, value: String(unsaid), from: from[key] ?? 'user config' };
  return { name: key, value: fallback, from: 'default' };
}

/** Fields of every manifest, with what holds for want of a word. */
const FIELDS: readonly { readonly path: Path; readonly fallback: string }[] = [
  { path: ['budget', 'tokens'], fallback: 'none' },
  { path: ['budget', 'minutes'], fallback: 'none' },
  { path: ['budget', 'group'], fallback: 'none' },
  { path: ['gate', 'minPassRate'], fallback: '1' },
  { path: ['gate', 'maxErrorRate'], fallback: '0' },
  { path: ['cache', 'mode'], fallback: 'read-write' },
  { path: ['retry', 'attempts'], fallback: '3' },
  { path: ['retry', 'lostLeases'], fallback: '3' },
  { path: ['retry', 'maxWaitMs'], fallback: '120000' },
  { path: ['maxQueueDepth'], fallback: 'none' },
  { path: ['outputs'], fallback: 'none' },
  { path: ['privacy', 'evidence'], fallback: 'quote' },
];

function manifestOrigins({ manifest, source }: LoadedManifest): Origin[] {
  const origin = (path: Path, fallback: string, otherwise = 'default'): Origin => {
    const stated = valueAt(source.value, path);
    const name = dottedOf(path);
    return stated === undefined ? { name, value: fallback, from: otherwise } : { name, value: shown(stated), from: placeOf(source, path) };
  };
  const used = new Set(Object.values(manifest.models).map(({ provider }) => provider));
  const servers = Object.values(manifest.providers).filter(({ id, baseUrl }) => used.has(id) && baseUrl !== null);
  return [
    ...FIELDS.map(({ path, fallback }) => origin(path, fallback)),
    ...servers.map(({ id, baseUrl }) => origin(['providers', id, 'baseUrl'], baseUrl ?? '')),
    ...Object.values(manifest.models).map(({ id, price }) =>
      origin(['models', id, 'price'], priceText(price), price === null ? 'default' : 'list price'),
    ),
  ];
}

function priceText(price: Price | 'free' | null): string {
  if (price === null || price === 'free') return price ?? 'unknown';
  return shown({
    inputPerMTok: price.inputPerMTok,
    outputPerMTok: price.outputPerMTok,
    ...(price.asOf === undefined ? {} : { asOf: price.asOf }),
  });
}

/** Texts as they are, all else as JSON. */
function shown(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
