import { describe, expect, it } from 'vitest';
import { keyAllowed } from '../../src/providers/key-policy.ts';

function asked(envName: string, baseUrl: string, isCi = false, allowHosts: readonly string[] = []): string {
  const decision = keyAllowed({ envName, baseUrl, isCi, allowHosts });
  return decision === 'allowed' ? 'allowed' : decision.refused;
}

describe("a vendor's key", () => {
  it.each([
    ['OPENAI_API_KEY', 'https://api.openai.com/v1'],
    ['OPENAI_API_KEY', 'https://eu.api.openai.com/v1'],
    ['OPENROUTER_API_KEY', 'https://openrouter.ai/api/v1'],
    ['ANTHROPIC_API_KEY', 'https://api.anthropic.com/v1'],
    ['GEMINI_API_KEY', 'https://generativelanguage.googleapis.com/v1beta/openai'],
    ['GROQ_API_KEY', 'https://api.groq.com/openai/v1'],
    ['AZURE_OPENAI_API_KEY', 'https://my-team.openai.azure.com/openai/v1'],
  ])('%s goes to %s, also in CI', (envName, baseUrl) => {
    expect(asked(envName, baseUrl)).toBe('allowed');
    expect(asked(envName, baseUrl, true)).toBe('allowed');
  });

  it.each([
    ['https://openrouter.ai/api/v1'],
    ['https://api.openai.com.evil.example/v1'],
    ['https://api.openai.com@evil.example/v1'],
    ['https://evilapi.openai.com.example'],
    ['http://127.0.0.1:8000/v1'],
    ['http://api.openai.com/v1'],
  ])('OPENAI_API_KEY does not go to %s, even if the host is allowed', (baseUrl) => {
    expect(asked('OPENAI_API_KEY', baseUrl, false, [new URL(baseUrl).hostname])).toContain('OPENAI_API_KEY is ');
    expect(asked('openai_api_key', baseUrl)).not.toBe('allowed');
  });
});

describe("a vendor's key under another of its names", () => {
  it.each([
    'OPENAI_KEY',
    'OPENAI_TOKEN',
    'OPENAIAPIKEY',
    'OPENAI_ADMIN_KEY',
    'OPENAI_API_KEY_2',
    'OPENAI_API_KEY_PROD',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_API_KEY',
    'HUGGING_FACE_HUB_TOKEN',
    'HUGGINGFACE_TOKEN',
    'HUGGINGFACEHUB_API_TOKEN',
    'HF_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'GROK_API_KEY',
    'PPLX_API_KEY',
    'CO_API_KEY',
    'AZURE_OPENAI_KEY',
    'REPLICATE_API_TOKEN',
  ])('%s goes to the vendor only', (envName) => {
    expect(asked(envName, 'https://lab.example/v1')).toContain('only, not to lab.example');
    expect(asked(envName, 'https://lab.example/v1', true, ['lab.example'])).toContain('only, not to lab.example');
    expect(asked(envName.toLowerCase(), 'http://127.0.0.1:8000/v1')).toContain('only, not to');
  });

  it('is told from a key of the own naming', () => {
    for (const envName of [
      'OPENAI_LAB_KEY',
      'LAB_OPENAI_KEY',
      'TOGETHERNESS_KEY',
      'CO_WORKERS_KEY',
      'HFX_TOKEN',
      'OPENAI_COMPATIBLE_API_KEY',
      'LITELLM_MASTER_KEY',
      'VLLM_API_KEY',
      'DATABRICKS_TOKEN',
      'PGX_KEY',
      'PG13_KEY',
      'DBX_KEY',
      'MY_SECRET_KEY',
    ]) {
      expect(asked(envName, 'https://lab.example/v1')).toBe('allowed');
    }
  });
});

describe('a key of other things', () => {
  it.each([
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_BEARER_TOKEN',
    'GITLAB_TOKEN',
    'NPM_TOKEN',
    'AZURE_CLIENT_SECRET',
    'DATABASE_URL',
    'CI_JOB_TOKEN',
    'aws_session_token',
    'HOME',
    'SECRET_ACCESS_KEY',
    'MY_SECRET_ACCESS_KEY',
    'DOCKERHUB_TOKEN',
    'DOCKER_PASSWORD',
    'SNYK_TOKEN',
    'KAGGLE_KEY',
    'LAB_CLIENT_SECRET',
    'SSH_PRIVATE_KEY',
    'AZURE_ACCESS_TOKEN',
    'AZURE_AD_TOKEN',
    'CODECOV_TOKEN',
    // What libpq reads, and what its like read.
    'PGPASSWORD',
    'PGPASSFILE',
    'PGSSLPASSWORD',
    'PGSERVICEFILE',
    'pgsslkey',
    'MYSQL_PWD',
    'REDISCLI_AUTH',
    'SQLCMDPASSWORD',
    'MARIADB_ROOT_PASSWORD',
    'CLICKHOUSE_PASSWORD',
    'INFLUX_TOKEN',
    'NEO4J_AUTH',
    'DB_PASSWORD',
    'LAB_DATABASE_PASSWORD',
    'SENTRY_DSN',
    // Of what watches a program.
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
    'OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY',
    'HONEYCOMB_API_KEY',
    'LANGFUSE_SECRET_KEY',
    'LANGSMITH_API_KEY',
    'SPLUNK_ACCESS_TOKEN',
    'DT_API_TOKEN',
    // Of those who keep secrets, and of networks.
    'OP_SERVICE_ACCOUNT_TOKEN',
    'BW_SESSION',
    'DOPPLER_TOKEN',
    'SOPS_AGE_KEY',
    'ANSIBLE_VAULT_PASSWORD_FILE',
    'RESTIC_PASSWORD',
    'SSHPASS',
    'TS_AUTHKEY',
    'NGROK_AUTHTOKEN',
    'HTTPS_PROXY',
    'all_proxy',
    // Of package registries and code hosts.
    'UV_PUBLISH_TOKEN',
    'PIP_INDEX_URL',
    'COMPOSER_AUTH',
    'BUNDLE_RUBYGEMS__PKG__GITHUB__COM',
    'HEX_API_KEY',
    'VSCE_PAT',
    'JSR_TOKEN',
    'GEM_HOST_API_KEY',
    'GIT_TOKEN',
    'CR_PAT',
    'TF_VAR_token',
    'FLY_ACCESS_TOKEN',
    // Of a program of the user's own.
    'SECRET_KEY',
    'SECRET_KEY_BASE',
    'RAILS_MASTER_KEY',
    'NEXTAUTH_SECRET',
    'JWT_SECRET',
    'SMTP_PASSWORD',
    'LAB_SIGNING_KEY',
    'LAB_WEBHOOK_SECRET',
  ])('%s goes nowhere', (envName) => {
    expect(asked(envName, 'http://127.0.0.1:8000/v1')).toContain('never sent');
    expect(asked(envName, 'https://lab.example/v1', true, ['lab.example'])).toContain('never sent');
  });
});

describe("a key of the user's own naming", () => {
  it('goes to the host that the manifest names', () => {
    expect(asked('LAB_KEY', 'https://lab.example/v1')).toBe('allowed');
  });

  it.each(['http://127.0.0.1:8000/v1', 'http://localhost:8000/v1', 'http://[::1]:8000/v1', 'http://127.1:8000/v1', 'http://2130706433/v1'])(
    'goes to %s in CI',
    (baseUrl) => {
      expect(asked('LAB_KEY', baseUrl, true)).toBe('allowed');
    },
  );

  it('goes in CI to an allowed host only', () => {
    expect(asked('LAB_KEY', 'https://lab.example/v1', true)).toContain('--allow-host lab.example');
    expect(asked('LAB_KEY', 'https://lab.example/v1', true, ['LAB.example'])).toBe('allowed');
    expect(asked('LAB_KEY', 'https://a.lab.example/v1', true, ['*.lab.example'])).toBe('allowed');
    expect(asked('LAB_KEY', 'https://lab.example:8443/v1', true, ['lab.example:8443'])).toBe('allowed');
    expect(asked('LAB_KEY', 'https://127.0.0.1.evil.example/v1', true)).not.toBe('allowed');
  });

  it('goes to an allowed port only where one is named, the usual one too', () => {
    expect(asked('LAB_KEY', 'https://lab.example/v1', true, ['lab.example:443'])).toBe('allowed');
    expect(asked('LAB_KEY', 'http://lab.example/v1', true, ['lab.example:443'])).not.toBe('allowed');
    expect(asked('LAB_KEY', 'https://lab.example:8443/v1', true, ['lab.example:443'])).not.toBe('allowed');
    expect(asked('LAB_KEY', 'http://[fe80::1]:8000/v1', true, ['[fe80::1]:8000'])).toBe('allowed');
    expect(asked('LAB_KEY', 'https://lab.example./v1', true, ['lab.example'])).toBe('allowed');
  });

  it('goes to no host that cannot be read', () => {
    expect(asked('LAB_KEY', 'lab')).toContain('which is no URL');
  });
});

describe('with a manifest that another machine stored', () => {
  const asked = (envName: string, baseUrl: string, allowHosts: readonly string[] = []): string => {
    const decision = keyAllowed({ envName, baseUrl, isCi: false, isStored: true, allowHosts });
    return decision === 'allowed' ? 'allowed' : decision.refused;
  };

  it("a key of the user's own naming goes to this machine and to hosts that it allows, and to no other", () => {
    expect(asked('LAB_KEY', 'https://lab.example/v1')).toBe(
      'LAB_KEY is not sent to lab.example, which a manifest in the database names and this machine does not allow (--allow-host lab.example)',
    );
    expect(asked('LAB_KEY', 'https://lab.example/v1', ['lab.example'])).toBe('allowed');
    expect(asked('LAB_KEY', 'http://127.0.0.1:8000/v1')).toBe('allowed');
  });

  it("a vendor's key goes to the vendor, and nothing else of the environment anywhere", () => {
    expect(asked('OPENAI_API_KEY', 'https://api.openai.com/v1')).toBe('allowed');
    expect(asked('OPENAI_API_KEY', 'https://lab.example/v1', ['lab.example'])).toContain('is sent to api.openai.com');
    expect(asked('AWS_SECRET_ACCESS_KEY', 'https://lab.example/v1', ['lab.example'])).toContain('never sent');
    expect(asked('PGPASSWORD', 'http://127.0.0.1:8000/v1')).toContain('never sent');
    expect(asked('AIEVAL_STORE', 'http://127.0.0.1:8000/v1')).toContain('never sent');
  });
});
