import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { keyFault } from '../config/key-fault.ts';
import type { CliIo } from '../io.ts';

/** What keeps a run from asking the providers that it needs: keys that are not set, or are none. A plan itself needs no key. */
export function keyNotes(io: CliIo, manifest: ResolvedManifest, needed: ReadonlySet<string>): string[] {
  const providers = Object.values(manifest.providers).filter(({ id, baseUrl }) => needed.has(id) && baseUrl !== null);
  const variables = providers.flatMap(({ apiKeyEnv, headers }) => [...(apiKeyEnv === null ? [] : [apiKeyEnv]), ...Object.values(headers)]);
  return [...new Set(variables)].flatMap((variable) => {
    if ((io.env[variable] ?? '') === '') return [`key: ${variable} is not set; a run needs it`];
    const fault = keyFault(io, variable);
    return fault === null ? [] : [`key: ${variable} ${fault.what}`];
  });
}
