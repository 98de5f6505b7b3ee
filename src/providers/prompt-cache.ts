import type { ResolvedProvider } from '../domain/manifest/resolved.ts';

const CACHING_HOSTS: ReadonlySet<string> = new Set([
  'api.openai.com',
  'generativelanguage.googleapis.com',
  'api.anthropic.com',
  'api.deepseek.com',
  'openrouter.ai',
]);

/** Each customer has a host of its own. */
const AZURE = '.openai.azure.com';

/** Whether the provider's host belongs to a vendor that keeps the beginning of prompts in a cache. */
export function vendorCachesPrompts({ baseUrl }: Pick<ResolvedProvider, 'baseUrl'>): boolean {
  if (baseUrl === null) return false;
  const { hostname } = new URL(baseUrl);
  return CACHING_HOSTS.has(hostname) || hostname.endsWith(AZURE);
}
