import type { Json } from '../../domain/canonical-json.ts';
import { UserError } from '../../domain/errors.ts';
import { TAG, TAG_FORM } from '../../domain/tags.ts';
import { LOG_LEVELS, type LogLevel } from '../../observe/log/log-record.ts';
import type { MetricsAddress } from '../../observe/metrics/metrics-server.ts';
import { isAddress } from '../../store/location.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { ADDRESS_FORM, metricsAddress } from '../observe/observe-options.ts';
import { DISPLAY_KINDS, type DisplayKind } from '../terminal/look.ts';
import { allowedHost, HOST_FORM } from './allow-hosts.ts';

/** How the program tells of itself on stderr. */
export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Everything that can be set outside of a manifest, by its name in the user config. */
export type SettingValues = {
  readonly db: string;
  readonly store: string;
  readonly out: string;
  readonly profile: string;
  readonly display: DisplayKind;
  readonly logFormat: LogFormat;
  readonly noColor: boolean;
  readonly noInput: boolean;
  readonly trustFs: boolean;
  readonly allowHosts: readonly string[];
  readonly tags: readonly string[];
  readonly concurrency: number;
  readonly maxCost: number;
  readonly maxJobs: number;
  readonly maxQueueDepth: number;
  readonly metrics: MetricsAddress;
  readonly logFile: string;
  readonly logLevel: LogLevel;
};

export type SettingKey = keyof SettingValues;

/** Where a setting may be said, and what may be said. Flags beat variables, these the manifest, that the user config, that the default. */
export type Setting<Value> = {
  readonly flag: string;
  readonly variable: string;
  /** Field of the manifest; `null`: a manifest cannot say it. */
  readonly field: readonly string[] | null;
  readonly fallback: string;
  /** The end of a sentence: "must be …". */
  readonly form: string;
  /** The value that the text of a variable, or a value of the user config, stands for; `null`: none. */
  readonly fromText: (text: string) => Value | null;
  readonly fromJson: (value: Json) => Value | null;
};

const YES: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);
const NO: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

const TEXT = {
  form: 'a text, not empty',
  fromText: (text: string): string | null => text,
  fromJson: (value: Json): string | null => (typeof value === 'string' && value !== '' ? value : null),
};

/** A URL would pass for one. */
const PATH = {
  form: 'a path, no URL',
  fromText: (text: string): string | null => (isAddress(text) ? null : text),
  fromJson: (value: Json): string | null => (typeof value === 'string' && value !== '' && !isAddress(value) ? value : null),
};

const FLAG = {
  form: 'true or false',
  fromText: (text: string): boolean | null => (YES.has(text.toLowerCase()) ? true : NO.has(text.toLowerCase()) ? false : null),
  fromJson: (value: Json): boolean | null => (typeof value === 'boolean' ? value : null),
};

function whole(max: number) {
  const within = (value: number): number | null => (Number.isSafeInteger(value) && value >= 1 && value <= max ? value : null);
  return {
    form: `a whole number 1–${max}`,
    fromText: (text: string) => (/^\d{1,9}$/.test(text) ? within(Number(text)) : null),
    fromJson: (value: Json) => (typeof value === 'number' ? within(value) : null),
  };
}

function oneOf<const Word extends string>(words: readonly Word[]) {
  const found = (value: Json): Word | null => words.find((word) => word === value) ?? null;
  return { form: words.join(', ').replace(/, (?=[^,]*$)/, ' or '), fromText: found, fromJson: found };
}

const MOST_USD = 999_999_999;

function usd(value: number): number | null {
  return value >= 0 && value <= MOST_USD ? value : null;
}

/** Of the flag, too. */
export const USD = {
  form: 'an amount of USD, such as 5 or 0.50',
  fromText: (text: string): number | null => (/^\d+(?:\.\d+)?$/.test(text) ? usd(Number(text)) : null),
  fromJson: (value: Json): number | null => (typeof value === 'number' ? usd(value) : null),
};

const HOSTS = {
  form: `a list, each ${HOST_FORM}`,
  fromText: (text: string): readonly string[] | null => hostsOf(text.split(',').filter((entry) => entry.trim() !== '')),
  fromJson: (value: Json): readonly string[] | null => (Array.isArray(value) ? hostsOf(value) : null),
};

function hostsOf(entries: readonly Json[]): readonly string[] | null {
  const hosts = entries.flatMap((entry) => (typeof entry === 'string' ? (allowedHost(entry) ?? []) : []));
  return hosts.length === entries.length ? hosts : null;
}

/** Of the flag, too. */
export const TAGS = {
  form: `a list, each ${TAG_FORM}`,
  fromText: (text: string): readonly string[] | null => tagsIn(text.split(',').filter((entry) => entry.trim() !== '')),
  fromJson: (value: Json): readonly string[] | null => (Array.isArray(value) ? tagsIn(value) : null),
};

function tagsIn(entries: readonly Json[]): readonly string[] | null {
  const tags = entries.flatMap((entry) => (typeof entry === 'string' && TAG.test(entry.trim()) ? [entry.trim()] : []));
  return tags.length === entries.length ? tags : null;
}

const ADDRESS = {
  form: ADDRESS_FORM,
  fromText: metricsAddress,
  fromJson: (value: Json): MetricsAddress | null => (typeof value === 'string' ? metricsAddress(value) : null),
};

const MOST_CALLS = 9999;
const MOST_JOBS = 999_999_999;

/** The one table of settings. */
export const CONFIG_SETTINGS: { readonly [Key in SettingKey]: Setting<SettingValues[Key]> } = {
  db: { flag: '--db', variable: 'AIEVAL_DB', field: null, fallback: '.aieval/aieval.db', ...TEXT },
  store: { flag: '--store', variable: 'AIEVAL_STORE', field: null, fallback: 'none', ...TEXT },
  out: { flag: '--out', variable: 'AIEVAL_OUT', field: null, fallback: '.aieval/runs', ...TEXT },
  profile: { flag: '--profile', variable: 'AIEVAL_PROFILE', field: null, fallback: 'none', ...TEXT },
  display: { flag: '--display', variable: 'AIEVAL_DISPLAY', field: null, fallback: 'as stderr is', ...oneOf(DISPLAY_KINDS) },
  logFormat: { flag: '--log-format', variable: 'AIEVAL_LOG_FORMAT', field: null, fallback: 'text', ...oneOf(LOG_FORMATS) },
  // Whatever NO_COLOR holds, it means yes: https://no-color.org
  noColor: { flag: '--no-color', variable: 'NO_COLOR', field: null, fallback: 'false', ...FLAG, fromText: () => true },
  noInput: { flag: '--no-input', variable: 'AIEVAL_NO_INPUT', field: null, fallback: 'false', ...FLAG },
  trustFs: { flag: '--trust-fs', variable: 'AIEVAL_TRUST_FS', field: null, fallback: 'false', ...FLAG },
  allowHosts: { flag: '--allow-host', variable: 'AIEVAL_ALLOW_HOSTS', field: null, fallback: 'none', ...HOSTS },
  tags: { flag: '--tags', variable: 'AIEVAL_TAGS', field: null, fallback: 'none', ...TAGS },
  concurrency: { flag: '--concurrency', variable: 'AIEVAL_CONCURRENCY', field: ['concurrency'], fallback: '8', ...whole(MOST_CALLS) },
  maxCost: { flag: '--max-cost', variable: 'AIEVAL_MAX_COST', field: ['budget', 'usd'], fallback: 'none', ...USD },
  maxJobs: { flag: '--max-jobs', variable: 'AIEVAL_MAX_JOBS', field: ['maxJobs'], fallback: '10000', ...whole(MOST_JOBS) },
  maxQueueDepth: {
    flag: '--max-queue-depth',
    variable: 'AIEVAL_MAX_QUEUE_DEPTH',
    field: ['maxQueueDepth'],
    fallback: 'none',
    ...whole(MOST_JOBS),
  },
  metrics: { flag: '--metrics', variable: 'AIEVAL_METRICS', field: null, fallback: 'none', ...ADDRESS },
  logFile: { flag: '--log-file', variable: 'AIEVAL_LOG_FILE', field: null, fallback: 'none', ...PATH },
  logLevel: { flag: '--log-level', variable: 'AIEVAL_LOG_LEVEL', field: null, fallback: 'info', ...oneOf(LOG_LEVELS) },
};

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(CONFIG_SETTINGS, key);
}

/** What the environment says of a setting; `undefined`: nothing. Throws `UserError` (E00) for what cannot be meant. */
export function fromEnvironment<Key extends SettingKey>(env: CliIo['env'], key: Key): SettingValues[Key] | undefined {
  const setting = CONFIG_SETTINGS[key];
  const text = env[setting.variable];
  if (text === undefined || text === '') return undefined;
  const value = setting.fromText(text);
  if (value !== null) return value;
  throw new UserError({
    code: 'E00',
    exitCode: EXIT.usage,
    message: `${setting.variable} must be ${setting.form}, got ${JSON.stringify(text)}`,
    next: [`unset ${setting.variable}`],
  });
}
