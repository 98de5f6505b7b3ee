/** The smallest manifest that is valid, as a value. */
export const MINIMAL = {
  version: 1,
  documents: ['specs/*.md'],
  models: { fast: { model: 'gpt-5-mini' } },
  tasks: { ambiguity: { prompt: '{{document}}\nFind faults.', checks: [] } },
} as const;

/** A manifest of some size. */
export const SAMPLE = `{ "version": 1, "name": "spec-review",
  "documents": ["specs/**/*.md", { "include": "papers/*.pdf", "tags": ["paper"] }],
  "providers": { "lab": { "type": "openai", "baseUrl": "http://127.0.0.1:8000/v1", "limits": { "concurrency": 4 } } },
  "models": {
    "fast":  { "model": "gpt-5-mini", "params": { "temperature": 0, "maxOutputTokens": 1500 }, "contextTokens": 400000,
               "price": { "inputPerMTok": 0.25, "cachedInputPerMTok": 0.025, "outputPerMTok": 2, "asOf": "2026-11-01" } },
    "local": { "provider": "lab", "model": "qwen3-32b", "price": "free", "params": { "maxOutputTokens": 1500 } } },
  "tasks": { "ambiguity": { "prompt": "prompts/ambiguity.md", "vars": { "style": "RFC 2119" }, "output": { "schema": "schemas/findings.json" },
      "checks": [ { "type": "evidence", "at": "/findings/*/quote", "minChars": 12 }, { "type": "count", "at": "/findings", "max": 3 } ] } },
  "budget": { "usd": 3 }, "gate": { "minPassRate": 0.8 } }
`;
