export type KeyQuestion = {
  /** Name of the variable whose value would be sent. */
  readonly envName: string;
  readonly baseUrl: string;
  readonly isCi: boolean;
  /** Hosts that this machine allows: `name`, `name:port` or `*.name`. Never from a manifest or a store. */
  readonly allowHosts: readonly string[];
};

export type KeyDecision = 'allowed' | { readonly refused: string };

/** Variable of a known vendor → the hosts that are the vendor's; `*.` stands for any number of labels. */
const VENDOR_HOSTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['OPENAI_API_KEY', ['api.openai.com', '*.api.openai.com']],
  ['OPENROUTER_API_KEY', ['openrouter.ai', '*.openrouter.ai']],
  ['ANTHROPIC_API_KEY', ['api.anthropic.com']],
  ['GEMINI_API_KEY', ['generativelanguage.googleapis.com']],
  ['GOOGLE_API_KEY', ['generativelanguage.googleapis.com']],
  ['GROQ_API_KEY', ['api.groq.com']],
  ['MISTRAL_API_KEY', ['api.mistral.ai', 'codestral.mistral.ai']],
  ['XAI_API_KEY', ['api.x.ai', '*.api.x.ai']],
  ['TOGETHER_API_KEY', ['api.together.xyz', 'api.together.ai']],
  ['DEEPSEEK_API_KEY', ['api.deepseek.com']],
  ['FIREWORKS_API_KEY', ['api.fireworks.ai']],
  ['CEREBRAS_API_KEY', ['api.cerebras.ai']],
  ['PERPLEXITY_API_KEY', ['api.perplexity.ai']],
  ['COHERE_API_KEY', ['api.cohere.com', 'api.cohere.ai']],
  ['NVIDIA_API_KEY', ['integrate.api.nvidia.com']],
  ['AZURE_OPENAI_API_KEY', ['*.openai.azure.com', '*.cognitiveservices.azure.com', '*.services.ai.azure.com']],
  ['AZURE_API_KEY', ['*.openai.azure.com', '*.cognitiveservices.azure.com', '*.services.ai.azure.com']],
  ['HF_TOKEN', ['router.huggingface.co', '*.endpoints.huggingface.cloud']],
]);

/** Variables that open something else than a model: clouds, code hosts, registries, databases, the system's own. */
const NEVER_SENT =
  /^(?:AWS|AZURE|ARM_CLIENT|ARM_ACCESS|GCP|GCLOUD|GOOGLE_APPLICATION|GOOGLE_CLOUD|GOOGLE_OAUTH|CLOUDSDK|GITHUB|GH|GITLAB|BITBUCKET|CI|ACTIONS|RUNNER|JENKINS|CIRCLE|BUILDKITE|NPM|NODE_AUTH|YARN|PYPI|TWINE|CARGO|DOCKER|KUBE|VAULT|SSH|GPG|CLOUDFLARE|CF|DIGITALOCEAN|HEROKU|VERCEL|NETLIFY|SLACK|STRIPE|TWILIO|SENTRY|DATADOG|DATABASE|POSTGRES|PG|MYSQL|MONGO|MONGODB|REDIS)(?:_|$)|^(?:PGPASSWORD|KUBECONFIG|PATH|GOOGLE_CREDENTIALS|HOME|USER|PWD|SHELL|HOSTNAME|LOGNAME)$/i;

/**
 * Whether the value of a variable may be sent to a host. A vendor's variable goes to that vendor only, over https; cloud and
 * code-host tokens go nowhere; a variable of the user's own naming goes to the host that the manifest names — in CI, where a pull
 * request can change the manifest, only to this machine or a host that the machine allows. `refused` is one line for a person.
 */
export function keyAllowed(question: KeyQuestion): KeyDecision {
  const { envName } = question;
  const url = URL.canParse(question.baseUrl) ? new URL(question.baseUrl) : null;
  if (url === null) return { refused: `${envName} is not sent to "${question.baseUrl}", which is no URL` };
  const vendorHosts = VENDOR_HOSTS.get(envName.toUpperCase());
  if (vendorHosts !== undefined) return vendorKeyAllowed(envName, vendorHosts, url);
  if (NEVER_SENT.test(envName)) return { refused: `${envName} is not the key of a model provider and is never sent to one` };
  if (!question.isCi || isLoopback(url.hostname) || isAllowedHost(url, question.allowHosts)) return 'allowed';
  return { refused: `in CI ${envName} is not sent to ${url.host}, which this machine does not allow (--allow-host ${url.hostname})` };
}

function vendorKeyAllowed(envName: string, hosts: readonly string[], url: URL): KeyDecision {
  if (!hosts.some((pattern) => hostMatches(plainHost(url.hostname), pattern))) {
    return {
      refused: `${envName} is sent to ${hosts.join(', ')} only, not to ${url.host}; put this server's key in a variable of your own naming`,
    };
  }
  if (url.protocol !== 'https:') return { refused: `${envName} is not sent to ${url.host} without encryption; use https` };
  return 'allowed';
}

function isAllowedHost(url: URL, allowHosts: readonly string[]): boolean {
  const hostname = plainHost(url.hostname);
  return allowHosts.map((entry) => entry.toLowerCase()).some((entry) => entry === url.host || hostMatches(hostname, entry));
}

function hostMatches(hostname: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern;
}

/** `URL` has made IPv4 spellings one already; a name's final dot means the same host. */
function plainHost(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

function isLoopback(hostname: string): boolean {
  const host = plainHost(hostname);
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
