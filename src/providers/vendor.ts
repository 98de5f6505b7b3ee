import type { OutputLimitName } from './wire-body.ts';

/** What is known of a vendor by its host. */
export type Vendor = {
  /** What its models mostly call the output limit. */
  readonly limitName: OutputLimitName;
  /** Routes by `prompt_cache_key`; others may refuse the field. */
  readonly takesCacheKey: boolean;
  /** States in `usage` what a call cost, in USD. */
  readonly reportsCost: boolean;
};

const OPENAI = /^(?:[a-z]+\.)?api\.openai\.com$/;
const AZURE_OPENAI = /\.openai\.azure\.com$/;
const OPENAI_LIMIT_NAME = /(?:^|\.)(?:openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com)$/;
const OPENROUTER = /^(?:[a-z0-9-]+\.)?openrouter\.ai$/;

/** The vendor behind a host name in lower case, as `URL` gives it. */
export function vendorOf(hostname: string): Vendor {
  return {
    limitName: OPENAI_LIMIT_NAME.test(hostname) ? 'max_completion_tokens' : 'max_tokens',
    takesCacheKey: OPENAI.test(hostname) || AZURE_OPENAI.test(hostname),
    reportsCost: OPENROUTER.test(hostname),
  };
}
