import { UserError } from '../../domain/errors.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedProvider } from '../../domain/manifest/resolved.ts';
import { keyAllowed } from '../../providers/key-policy.ts';
import type { Inspection } from '../../store/maintenance.ts';
import type { DoctorOptions } from '../commands/options.ts';
import { keyFault } from '../config/key-fault.ts';
import type { CliIo } from '../io.ts';
import { type LoadedManifest, readManifest } from '../plan/prepare.ts';
import { counted } from '../terminal/format.ts';
import { isCi } from '../terminal/look.ts';
import { shellWord } from '../terminal/shell-word.ts';

export type ManifestFindings = {
  readonly loaded: LoadedManifest | null;
  /** The manifest and its files. */
  readonly manifest: readonly Inspection[];
  /** Whether its keys are there, and may go where they are to go. */
  readonly keys: readonly Inspection[];
};

/** Looks at a manifest without asking anybody: no document is opened, no key is shown. */
export async function inspectManifest(io: CliIo, argument: string, options: DoctorOptions): Promise<ManifestFindings> {
  const { profile, allowHost = [] } = options;
  const loaded = await load(io, argument, options);
  if ('status' in loaded) return { loaded: null, manifest: [loaded], keys: [] };
  const { manifest, documents } = loaded;
  const counts = `${counted(Object.keys(manifest.tasks).length, 'task')}, ${counted(Object.keys(manifest.models).length, 'model')}`;
  return {
    loaded,
    manifest: [
      ok('manifest', `${argument} is valid${profile === undefined ? '' : ` with profile ${profile}`}: ${counts}`),
      ok('documents', `${counted(documents.length, 'document')} found, not opened`),
      prices(manifest),
    ],
    keys: usedProviders(manifest).flatMap((provider) => keysOf(io, provider, allowHost)),
  };
}

/** The providers that models of the manifest name. */
export function usedProviders({ providers, models }: ResolvedManifest): ResolvedProvider[] {
  const used = new Set(Object.values(models).map(({ provider }) => provider));
  return Object.values(providers).filter(({ id }) => used.has(id));
}

/** What the checks are called that `doctor-online.ts` makes. */
export function onlineNames(manifest: ResolvedManifest): string[] {
  return [...usedProviders(manifest).map(endpointName), ...Object.values(manifest.models).map(modelName)];
}

/** The check of an endpoint. */
export function endpointName({ id }: Pick<ResolvedProvider, 'id'>): string {
  return `endpoint ${id}`;
}

/** The check of a model. */
export function modelName({ id }: Pick<ResolvedModel, 'id'>): string {
  return `model ${id}`;
}

async function load(io: CliIo, argument: string, { profile, layers }: DoctorOptions): Promise<LoadedManifest | Inspection> {
  try {
    return await readManifest(io, argument, { ...(profile === undefined ? {} : { profile }), ...(layers === undefined ? {} : { layers }) });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const [first = '', ...others] = error.message.split('\n').filter((line) => /^(?:error\[|\S)/.test(line));
    const more = others.length === 0 ? '' : ` (and ${counted(others.length, 'more line')})`;
    const words = ['aieval validate', ...[argument, ...(profile === undefined ? [] : ['--profile', profile])].map(shellWord)];
    const next = error.code === 'E01' ? error.next : [words.join(' ')];
    return { check: 'manifest', status: 'problem', message: `${error.code}: ${first}${more}`, next };
  }
}

function prices({ models }: ResolvedManifest): Inspection {
  const unknown = Object.values(models).filter(({ price }) => price === null);
  if (unknown.length === 0) return ok('prices', Object.values(models).map(priceText).join(', '));
  const names = unknown.map(({ id }) => `"${id}"`).join(', ');
  const next = unknown.map(({ id }) => `state models.${id}.price in the manifest; "free" for a server of your own`);
  return { check: 'prices', status: 'warning', message: `unknown for ${names}: costs cannot be shown or bounded`, next };
}

function priceText({ id, price }: ResolvedModel): string {
  if (price === 'free' || price === null) return `${id} free`;
  const from = price.listed === true ? 'list' : 'manifest';
  return `${id} $${price.inputPerMTok} in, $${price.outputPerMTok} out per million (${from}${price.asOf === undefined ? '' : `, ${price.asOf}`})`;
}

function keysOf(io: CliIo, provider: ResolvedProvider, allowHosts: readonly string[]): Inspection[] {
  const { id, apiKeyEnv, headers, baseUrl } = provider;
  if (baseUrl === null) return [ok(`key ${id}`, `${provider.type} needs no key`)];
  const variables = [...(apiKeyEnv === null ? [] : [apiKeyEnv]), ...Object.values(headers)];
  if (variables.length === 0) return [ok(`key ${id}`, `no key is sent to ${new URL(baseUrl).host}`)];
  return variables.map((variable) => keyFinding(io, { id, baseUrl, variable, allowHosts }));
}

type Key = { readonly id: string; readonly baseUrl: string; readonly variable: string; readonly allowHosts: readonly string[] };

function keyFinding(io: CliIo, { id, baseUrl, variable, allowHosts }: Key): Inspection {
  const check = `key ${id}`;
  const { env } = io;
  const policy = keyAllowed({ envName: variable, baseUrl, isCi: isCi(env), allowHosts });
  if (policy !== 'allowed') {
    return {
      check,
      status: 'problem',
      message: `E35: ${policy.refused}`,
      next: [`remove ${variable} from providers.${id} in the manifest`],
    };
  }
  if ((env[variable] ?? '') === '')
    return { check, status: 'problem', message: `E05: ${variable} is not set`, next: [`export ${variable}=…`] };
  const fault = keyFault(io, variable);
  if (fault !== null) return { check, status: 'problem', message: `E05: ${variable} ${fault.what}`, next: [fault.next] };
  return ok(check, `${variable} is set, and may go to ${new URL(baseUrl).host}`);
}

function ok(check: string, message: string): Inspection {
  return { check, status: 'ok', message, next: [] };
}
