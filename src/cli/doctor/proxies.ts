import { UserError } from '../../domain/errors.ts';
import type { CliIo } from '../io.ts';
import { manifestLine, type StartedManifest } from '../run/run-line.ts';

const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** The variables that ask programs to go through a proxy. aieval does not: it connects to the provider itself. */
export function proxyVariables(env: CliIo['env']): string[] {
  return VARIABLES.filter((name) => (env[name] ?? '') !== '');
}

/** An endpoint that cannot be used (E14), with what this machine knows of it: proxies, and how to look closer. Any other error as it is. */
export function withAdvice({ env, cwd }: CliIo, started: StartedManifest, error: unknown): unknown {
  if (!(error instanceof UserError) || error.code !== 'E14') return error;
  const named = proxyVariables(env);
  const proxies = named.length === 0 ? '' : `. ${named.join(', ')} is set, and aieval connects without a proxy`;
  const next = [...error.next, manifestLine(started, cwd, ['doctor', '--online'])];
  return new UserError({ code: error.code, exitCode: error.exitCode, message: `${error.message}${proxies}`, next, cause: error });
}
