import { readFile } from 'node:fs/promises';
import { UserError } from '../../domain/errors.ts';
import type { ResolvedProvider } from '../../domain/manifest/resolved.ts';
import { areFilesHere, type PlacedRun } from '../../engine/files-here.ts';
import { keyAllowed } from '../../providers/key-policy.ts';
import type { Provider } from '../../providers/provider.ts';
import { keyFault } from '../config/key-fault.ts';
import { setVariable } from '../config/set-variable.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { isCi } from '../terminal/look.ts';
import { shellWord } from '../terminal/shell-word.ts';

/** How far a manifest is trusted with this machine's keys and files. */
export type Trust = {
  /** Hosts that this machine allows where it does not trust who wrote the manifest. */
  readonly allowHosts: readonly string[];
  /** It comes from a database that other machines write, too. */
  readonly isStored: boolean;
  /** The files that it names are this machine's. */
  readonly filesHere: boolean;
};

/** The trust in a manifest file of this machine. */
export function trustInFile(allowHosts: readonly string[]): Trust {
  return { allowHosts, isStored: false, filesHere: true };
}

/** The trust in the manifest of a run as the store has it: a file's database is as much this machine's as the manifest was. */
export function trustInStore({ store, run }: PlacedRun, allowHosts: readonly string[]): Trust {
  return { allowHosts, isStored: store.spansMachines, filesHere: areFilesHere({ store, run }) };
}

/**
 * Makes a provider with the key and headers from this process's environment, if they may go to its host. Throws `UserError` (exit 4).
 */
export async function makeProvider(io: CliIo, provider: ResolvedProvider, trust: Trust): Promise<Provider> {
  if (provider.cassette !== null && !trust.filesHere) throw cassetteElsewhere(provider);
  const { createProvider } = await import('../../providers/registry.ts');
  const { gated } = await import('../../pacing/provider-gate.ts');
  const headers = Object.entries(provider.headers).map(([name, variable]) => [name, secret({ io, provider, trust }, variable)] as const);
  const apiKey = provider.apiKeyEnv === null ? null : secret({ io, provider, trust }, provider.apiKeyEnv);
  const made = await createProvider(provider, {
    apiKey,
    headers: Object.fromEntries(headers),
    clock: io.now,
    sleep: io.sleep,
    readFile: (path) => readFile(path, 'utf8'),
  });
  return gated(made, provider.concurrency);
}

type Sending = { readonly io: CliIo; readonly provider: ResolvedProvider; readonly trust: Trust };

function secret({ io, provider, trust }: Sending, variable: string): string {
  const value = io.env[variable];
  if (value === undefined || value === '') throw missingVariable(io, provider, variable);
  const { allowHosts, isStored } = trust;
  const policy = keyAllowed({ envName: variable, baseUrl: provider.baseUrl ?? '', isCi: isCi(io.env), isStored, allowHosts });
  if (policy !== 'allowed') throw accessError('E35', policy.refused, wayOut(provider, variable, trust));
  const fault = keyFault(io, variable);
  if (fault !== null) throw accessError('E05', `provider "${provider.id}" cannot be asked: ${variable} ${fault.what}`, fault.next);
  return value;
}

function wayOut({ id, baseUrl }: ResolvedProvider, variable: string, { isStored }: Trust): string {
  const host = isStored && baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return host === ''
    ? `remove ${variable} from providers.${id} in the manifest`
    : `if it may go there: export AIEVAL_ALLOW_HOSTS=${shellWord(host)}`;
}

/** Which file of this machine is read is not for others to say. */
function cassetteElsewhere({ id, cassette }: ResolvedProvider): UserError {
  const message = `provider "${id}" replays ${cassette?.path ?? ''}, a file of the machine that started the run`;
  return accessError('E01', message, 'aieval worker, on that machine');
}

function missingVariable(io: CliIo, provider: ResolvedProvider, variable: string): UserError {
  const where = variable === provider.apiKeyEnv ? ` (providers.${provider.id}.apiKeyEnv)` : '';
  const isFork = (io.env.GITHUB_EVENT_NAME ?? '').startsWith('pull_request');
  const forks = isFork ? '. GitHub gives no secrets to pull requests from forks' : '';
  return accessError('E05', `provider "${provider.id}" needs ${variable}${where}, which is not set${forks}`, setVariable(io, variable));
}

function accessError(code: string, message: string, next: string): UserError {
  return new UserError({ code, exitCode: EXIT.access, message, next: [next] });
}
