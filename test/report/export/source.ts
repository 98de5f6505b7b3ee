import type { ResultLine } from '../../../src/domain/result-line.ts';
import type { ExportSource } from '../../../src/report/export/export-source.ts';
import { header } from '../sample.ts';

/** An export's source with these jobs; `over` changes its header. */
export function source(jobs: readonly ResultLine[], over: Parameters<typeof header>[0] = {}): ExportSource {
  return {
    header: header({ jobs: jobs.length, ...over }),
    lines: async function* lines() {
      yield* jobs;
    },
  };
}

export async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}
