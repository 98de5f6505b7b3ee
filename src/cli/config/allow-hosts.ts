import { UserError } from '../../domain/errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';

const VARIABLE = 'AIEVAL_ALLOW_HOSTS';
const HOST = /^(?:(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** What a host to allow looks like, for messages. */
export const HOST_FORM = 'a host such as lab.example, lab.example:8000 or *.lab.example';

/** The host in its one spelling; `null` for what is none, such as a URL. */
export function allowedHost(text: string): string | null {
  const host = text.trim();
  if (!HOST.test(host)) return null;
  return host.toLowerCase();
}

/**
 * The hosts to which this machine lets keys of the user's own naming go in CI: `--allow-host` and AIEVAL_ALLOW_HOSTS, separated
 * by commas. Never from a manifest, which a pull request can change. Throws `UserError` (E00) for an entry that is no host.
 */
export function allowedHosts(env: CliIo['env'], given: readonly string[] = []): readonly string[] {
  const entries = (env[VARIABLE] ?? '').split(',').filter((entry) => entry.trim() !== '');
  return [...given, ...entries.map(hostOfVariable)];
}

function hostOfVariable(entry: string): string {
  const host = allowedHost(entry);
  if (host !== null) return host;
  throw new UserError({
    code: 'E00',
    exitCode: EXIT.usage,
    message: `${VARIABLE}: "${entry.trim()}" is not ${HOST_FORM}`,
    next: [`export ${VARIABLE}=lab.example,other.example:8000`],
  });
}
