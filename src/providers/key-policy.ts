export type KeyQuestion = {
  /** Name of the variable whose value would be sent. */
  readonly envName: string;
  readonly baseUrl: string;
  readonly isCi: boolean;
  /** The manifest comes from a database that other machines write, too. */
  readonly isStored?: boolean;
  /** Hosts that this machine allows: `name`, `name:port` or `*.name`. Never from a manifest or a store. */
  readonly allowHosts: readonly string[];
};

export type KeyDecision = 'allowed' | { readonly refused: string };

/**
 * How a known vendor's variables begin → the hosts that are the vendor's; `*.` stands for any number of labels. Only whole names
 * of the form below are the vendor's: `OPENAI_LAB_KEY` is of the user's own naming.
 */
const VENDORS: readonly (readonly [prefix: string, hosts: readonly string[]])[] = [
  ['OPENAI|OPEN_AI|CHATGPT', ['api.openai.com', '*.api.openai.com']],
  ['OPENROUTER|OPEN_ROUTER', ['openrouter.ai', '*.openrouter.ai']],
  ['ANTHROPIC|CLAUDE', ['api.anthropic.com']],
  ['GEMINI|GOOGLE(?:_GENERATIVE_AI|_GENAI|_GEMINI|_AI)?|PALM', ['generativelanguage.googleapis.com']],
  ['GROQ|GROQ_CLOUD', ['api.groq.com']],
  ['MISTRAL|MISTRALAI|MISTRAL_AI|CODESTRAL', ['api.mistral.ai', 'codestral.mistral.ai']],
  ['XAI|X_AI|GROK', ['api.x.ai', '*.api.x.ai']],
  ['TOGETHER|TOGETHERAI|TOGETHER_AI', ['api.together.xyz', 'api.together.ai']],
  ['DEEPSEEK|DEEP_SEEK', ['api.deepseek.com']],
  ['FIREWORKS|FIREWORKSAI|FIREWORKS_AI', ['api.fireworks.ai']],
  ['CEREBRAS', ['api.cerebras.ai']],
  ['PERPLEXITY|PERPLEXITYAI|PERPLEXITY_AI|PPLX', ['api.perplexity.ai']],
  ['COHERE|CO(?=_API_KEY$)', ['api.cohere.com', 'api.cohere.ai']],
  ['NVIDIA|NVIDIA_NIM', ['integrate.api.nvidia.com']],
  ['REPLICATE', ['api.replicate.com']],
  ['DEEPINFRA', ['api.deepinfra.com']],
  ['SAMBANOVA', ['api.sambanova.ai']],
  ['MOONSHOT|KIMI', ['api.moonshot.ai', 'api.moonshot.cn']],
  ['DASHSCOPE', ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com']],
  ['AI21', ['api.ai21.com']],
  ['AZURE_OPENAI|AZURE_AI|AZURE(?=_API_KEY$)', ['*.openai.azure.com', '*.cognitiveservices.azure.com', '*.services.ai.azure.com']],
  ['HF|HUGGINGFACE|HUGGING_FACE|HUGGINGFACEHUB', ['router.huggingface.co', '*.endpoints.huggingface.cloud']],
];

/** What follows a vendor's name: `_API_KEY`, `_AUTH_TOKEN`, `_HUB_TOKEN`, `APIKEY`, `_KEY_2`, `_API_KEY_PROD`. */
const KEY_WORDS =
  '(?:_?(?:API|AUTH|ACCESS|ADMIN|BEARER|HUB|PROJECT|SECRET|SERVICE|USER))*_?(?:KEY|TOKEN|SECRET)(?:_?\\d+|_(?:PROD|PRODUCTION|STAGING|DEV|TEST))?';

/** Variables that open something else than a model: clouds, code hosts, registries, stores, databases, services, the system's own. */
const FOREIGN =
  'AWS S3 MINIO AZURE ARM_CLIENT ARM_ACCESS GCP GCLOUD GOOGLE_APPLICATION GOOGLE_CLOUD GOOGLE_OAUTH GOOGLE_CLIENT CLOUDSDK FIREBASE ALICLOUD ' +
  'ALIBABA_CLOUD TENCENTCLOUD IBMCLOUD OCI LINODE HCLOUD SCW OVH CLOUDFLARE CF DIGITALOCEAN HEROKU VERCEL NETLIFY FLY RAILWAY SUPABASE ' +
  'GITHUB GH GITLAB BITBUCKET GITEA CI ACTIONS RUNNER JENKINS CIRCLE CIRCLECI TRAVIS APPVEYOR DRONE BUILDKITE TEAMCITY ' +
  'NPM NODE_AUTH YARN PYPI TWINE POETRY CARGO RUBYGEMS NUGET OSSRH MAVEN GRADLE CONDA ANACONDA HOMEBREW DOCKER DOCKERHUB GHCR QUAY JFROG ' +
  'ARTIFACTORY NEXUS NGC KUBE VAULT CONSUL NOMAD TERRAFORM TF PULUMI SSH GPG SNYK SONAR SONARQUBE CODECOV COVERALLS KAGGLE WANDB COMET ' +
  'MLFLOW SLACK DISCORD TELEGRAM JIRA ATLASSIAN CONFLUENCE NOTION STRIPE PAYPAL TWILIO SENDGRID MAILGUN OKTA AUTH0 SENTRY DATADOG DD ' +
  'NEW_RELIC GRAFANA PAGERDUTY DATABASE DB POSTGRES POSTGRESQL PG MYSQL MARIADB MSSQL MONGO MONGODB REDIS REDISCLI ELASTIC ' +
  'ELASTICSEARCH OPENSEARCH CLICKHOUSE COUCHDB NEO4J INFLUX INFLUXDB CASSANDRA ORACLE TURSO PLANETSCALE UPSTASH RABBITMQ AMQP KAFKA ' +
  'PINECONE ALGOLIA AIEVAL OTEL HONEYCOMB LANGFUSE LANGSMITH LANGCHAIN SPLUNK DT_API DYNATRACE LIGHTSTEP SUMOLOGIC LOGTAIL ROLLBAR ' +
  'BUGSNAG OPSGENIE POSTHOG MIXPANEL OP_SERVICE OP_SESSION OP_CONNECT BW DOPPLER INFISICAL SOPS ANSIBLE RESTIC BORG RCLONE B2_APPLICATION ' +
  'WASABI DROPBOX TS_AUTHKEY TS_API TAILSCALE NGROK FASTLY AKAMAI HETZNER VULTR HCP HELM ARGOCD RANCHER UV PIP HATCH PDM COMPOSER BUNDLE ' +
  'GEM_HOST HEX_API JSR VSCE OVSX EXPO FASTLANE DEPENDABOT RENOVATE SEMGREP GITGUARDIAN GIT CR_PAT FORGEJO CODEBERG LDAP SMTP IMAP ' +
  'POSTMARK MAILCHIMP HUBSPOT SALESFORCE SHOPIFY ZENDESK AIRTABLE ASANA TRELLO RAILS DJANGO FLASK LARAVEL NEXTAUTH CLERK KEYCLOAK JWT';
/** libpq's names have no underscore, so that `PGX_KEY` is of the user's own naming. */
const FOREIGN_WHOLE =
  'PG[A-Z]+ SQLCMDPASSWORD SSHPASS HTTP_PROXY HTTPS_PROXY ALL_PROXY NETRC KUBECONFIG PATH GOOGLE_CREDENTIALS HOME USER PWD SHELL HOSTNAME ' +
  'LOGNAME ACCESS_TOKEN ID_TOKEN SECRET_KEY SECRET_KEY_BASE APP_KEY';
/** Ends that say it, whoever's it is. */
const FOREIGN_ENDS =
  'SECRET_ACCESS_KEY ACCESS_KEY_ID CLIENT_SECRET PRIVATE_KEY SIGNING_KEY SIGNING_SECRET ENCRYPTION_KEY DEPLOY_KEY WEBHOOK_SECRET PASSPHRASE ' +
  'DATABASE_URL DATABASE_PASSWORD DB_PASSWORD REDIS_URL DSN CONNECTION_STRING WEBHOOK_URL';

const NEVER_SENT = [
  new RegExp(`^(?:${anyOf(FOREIGN)})(?:_|$)`, 'i'),
  new RegExp(`^(?:${anyOf(FOREIGN_WHOLE)})$`, 'i'),
  new RegExp(`(?:^|_)(?:${anyOf(FOREIGN_ENDS)})$`, 'i'),
];

function anyOf(words: string): string {
  return words.split(' ').join('|');
}

/**
 * Whether the value of a variable may be sent to a host. A vendor's variable goes to that vendor only, over https; cloud and
 * code-host tokens go nowhere; a variable of the user's own naming goes to the host that the manifest names — in CI, where a pull
 * request can change the manifest, and with one that another machine stored, only to this machine or a host that it allows. `refused` is one line for a person.
 */
export function keyAllowed(question: KeyQuestion): KeyDecision {
  const { envName } = question;
  const url = URL.canParse(question.baseUrl) ? new URL(question.baseUrl) : null;
  if (url === null) return { refused: `${envName} is not sent to "${question.baseUrl}", which is no URL` };
  const vendorHosts = vendorHostsOf(envName);
  if (vendorHosts !== null) return vendorKeyAllowed(envName, vendorHosts, url);
  if (NEVER_SENT.some((pattern) => pattern.test(envName)))
    return { refused: `${envName} is not the key of a model provider and is never sent to one` };
  const { isCi, isStored = false } = question;
  if (!(isCi || isStored) || isLoopback(url.hostname) || isAllowedHost(url, question.allowHosts)) return 'allowed';
  if (isStored) return { refused: storedText(envName, url) };
  return { refused: `in CI ${envName} is not sent to ${url.host}, which this machine does not allow (--allow-host ${url.hostname})` };
}

function storedText(envName: string, { host, hostname }: URL): string {
  return `${envName} is not sent to ${host}, which a manifest in the database names and this machine does not allow (--allow-host ${hostname})`;
}

/** Whether a variable is a known vendor's, so that what it holds must be a key that this vendor made. */
export function isVendorKey(envName: string): boolean {
  return vendorHostsOf(envName) !== null;
}

function vendorHostsOf(envName: string): readonly string[] | null {
  const vendor = VENDORS.find(([prefix]) => new RegExp(`^(?:${prefix})${KEY_WORDS}$`, 'i').test(envName));
  return vendor === undefined ? null : vendor[1];
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
  const port = url.port === '' ? DEFAULT_PORTS.get(url.protocol) : url.port;
  return allowHosts.some((entry) => {
    const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    return hostMatches(hostname, plainHost(name)) && (only === undefined || only === port);
  });
}

const DEFAULT_PORTS: ReadonlyMap<string, string> = new Map([
  ['http:', '80'],
  ['https:', '443'],
]);

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
