import { readFile } from 'node:fs/promises';
import { UserError } from '../../domain/errors.ts';
import type { ResolvedProvider } from '../../domain/manifest/resolved.ts';
import { keyAllowed } from '../../providers/key-policy.ts';
import type { Provider } from '../../providers/provider.ts';
import { keyFault } from '../config/key-fault.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { isCi } from '../terminal/look.ts';

/**
 * Makes a provider with the key and headers from this process's environment, if they may go to its host; `allowHosts` are those
 * that this machine allows in CI. Throws `UserError` (exit 4).
 */
export async function makeProvider(io: CliIo, provider: ResolvedProvider, allowHosts: readonly string[]): Promise<Provider> {
  const { createProvider } = await import('../../providers/registry.ts');
  const { gated } = await import('../../pacing/provider-gate.ts');
  const headers = Object.entries(provider.headers).map(
    ([name, variable]) => [name, secret({ io, provider, allowHosts }, variable)] as const,
  );
  const apiKey = provider.apiKeyEnv === null ? null : secret({ io, provider, allowHosts }, provider.apiKeyEnv);
  const made = await createProvider(provider, {
    apiKey,
    headers: Object.fromEntries(headers),
    clock: io.now,
    sleep: io.sleep,
    readFile: (path) => readFile(path, 'utf8'),
  });
  return gated(made, provider.concurrency);
}

type Sending = { readonly io: CliIo; readonly provider: ResolvedProvider; readonly allowHosts: readonly string[] };

function secret({ io, provider, allowHosts }: Sending, variable: string): string {
  const value = io.env[variable];
  if (value === undefined || value === '') throw missingVariable(io, provider, variable);
  const policy = keyAllowed({ envName: variable, baseUrl: provider.baseUrl ?? '', isCi: isCi(io.env), allowHosts });
  if (policy !== 'allowed') throw accessError('E35', policy.refused, `remove ${variable} from providers.${provider.id} in the manifest`);
  const fault = keyFault(io, variable);
  if (fault !== null) throw accessError('E05', `provider "${provider.id}" cannot be asked: ${variable} ${fault.what}`, fault.next);
  return value;
}

function missingVariable({ env }: CliIo, provider: ResolvedProvider, variable: string): UserError {
  const where = variable === provider.apiKeyEnv ? ` (providers.${provider.id}.apiKeyEnv)` : '';
  const isFork = (env.GITHUB_EVENT_NAME ?? '').startsWith('pull_request');
  const forks = isFork ? '. GitHub gives no secrets to pull requests from forks' : '';
  const next = isCi(env)
    ? `give it to the job, as a secret in its env; .env is not read in CI`
    : `export ${variable}=…, or write ${variable}=… into .env beside the manifest`;
  return accessError('E05', `provider "${provider.id}" needs ${variable}${where}, which is not set${forks}`, next);
}

function accessError(code: string, message: string, next: string): UserError {
  return new UserError({ code, exitCode: EXIT.access, message, next: [next] });
}
