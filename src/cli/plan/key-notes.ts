import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { type KeyQuestion, keyAllowed } from '../../providers/key-policy.ts';
import { allowedHosts } from '../config/allow-hosts.ts';
import { keyFault } from '../config/key-fault.ts';
import type { CliIo } from '../io.ts';
import { isCi } from '../terminal/look.ts';

/** What keeps a run from asking the providers that it needs: keys that may not go there, are not set, or are none. A plan itself needs no key. */
export function keyNotes(io: CliIo, manifest: ResolvedManifest, needed: ReadonlySet<string>): string[] {
  const providers = Object.values(manifest.providers).filter(({ id, baseUrl }) => needed.has(id) && baseUrl !== null);
  const allowHosts = allowedHosts(io.env);
  const notes = providers.flatMap(({ apiKeyEnv, headers, baseUrl }) =>
    [...(apiKeyEnv === null ? [] : [apiKeyEnv]), ...Object.values(headers)].flatMap(
      (variable) => noteOf(io, { envName: variable, baseUrl: baseUrl ?? '', isCi: isCi(io.env), allowHosts }) ?? [],
    ),
  );
  return [...new Set(notes)];
}

/** Where a key may not go, setting it would not help. */
function noteOf(io: CliIo, question: KeyQuestion): string | null {
  const policy = keyAllowed(question);
  const { envName } = question;
  if (policy !== 'allowed') return `key: ${policy.refused}`;
  if ((io.env[envName] ?? '') === '') return `key: ${envName} is not set; a run needs it`;
  const fault = keyFault(io, envName);
  return fault === null ? null : `key: ${envName} ${fault.what}`;
}
