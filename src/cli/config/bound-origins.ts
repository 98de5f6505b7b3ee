import type { Path } from '../../domain/manifest/path.ts';
import { valueAt } from '../../domain/manifest/raw.ts';
import { placeOf } from '../../domain/manifest/source.ts';
import type { LoadedManifest } from '../../engine/load-manifest.ts';
import type { SettingOptions } from '../commands/options.ts';

/** Who stated each bound of a run: `--max-cost`, `AIEVAL_MAX_JOBS in /p/.env`, `manifest.json:9:3`, `user config /path`; `null`: nobody. */
export type BoundOrigins = {
  readonly usd: string | null;
  readonly tokens: string | null;
  readonly group: string | null;
  readonly maxJobs: string | null;
};

/** Of a manifest with the settings of this start, for messages that refuse by a bound: the person looks for it there. */
export function boundOrigins(loaded: Pick<LoadedManifest, 'source'>, options: SettingOptions): BoundOrigins {
  return {
    usd: settingOrigin(loaded, options, { key: 'maxCost', flag: '--max-cost', field: ['budget', 'usd'] }),
    tokens: fieldOrigin(loaded, options, ['budget', 'tokens']),
    group: fieldOrigin(loaded, options, ['budget', 'group', 'usd']),
    maxJobs: settingOrigin(loaded, options, { key: 'maxJobs', flag: '--max-jobs', field: ['maxJobs'] }),
  };
}

type Setting = { readonly key: 'maxCost' | 'maxJobs'; readonly flag: string; readonly field: Path };

/** A flag or a variable beats the manifest, that beats the user config. */
function settingOrigin(loaded: Pick<LoadedManifest, 'source'>, options: SettingOptions, { key, flag, field }: Setting): string | null {
  const { from = {}, unstated = {} } = options.layers ?? {};
  if (options[key] !== undefined) return from[key] ?? flag;
  return fieldOrigin(loaded, options, field) ?? (unstated[key] === undefined ? null : (from[key] ?? 'user config'));
}

function fieldOrigin({ source }: Pick<LoadedManifest, 'source'>, { profile }: SettingOptions, field: Path): string | null {
  if (valueAt(source.value, field) === undefined) return null;
  const isOfProfile = profile !== undefined && valueAt(source.value, ['profiles', profile, ...field]) !== undefined;
  return `${isOfProfile ? `profile ${JSON.stringify(profile)}, ` : ''}${placeOf(source, field)}`;
}
