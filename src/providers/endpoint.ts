import type { ResolvedProvider } from '../domain/manifest/resolved.ts';

/**
 * What stands for the endpoint in an answer's key: the provider's `identity`, else its base URL; `replay:<sha256 of the
 * cassette>`, so that an edited cassette is asked anew; `simulated`.
 */
export function endpointIdentity(provider: ResolvedProvider): string {
  switch (provider.type) {
    case 'openai':
      return provider.identity ?? provider.baseUrl ?? provider.id;
    case 'replay':
      return `replay:${provider.cassette?.sha256 ?? ''}`;
    case 'simulated':
      return 'simulated';
  }
}
