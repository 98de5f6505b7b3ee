import type { ResolvedManifest, ResolvedTask } from './resolved.ts';
import { placeOf, type Source } from './source.ts';
import { strictFault } from './strict-schema.ts';

const OPENAI_HOST = 'api.openai.com';

/** Schemas that OpenAI would refuse: each such model would first fail, then answer in a lesser mode. One line each. */
export function strictAdvice(source: Source, manifest: ResolvedManifest): string[] {
  return Object.values(manifest.tasks).flatMap((task) => {
    const { schema, strict } = task.output;
    const fault = schema === null || !strict || !asksOpenAi(manifest, task) ? null : strictFault(schema);
    if (fault === null) return [];
    const place = placeOf(source, ['tasks', task.id, 'output', 'schema']);
    const where = fault.pointer === '' ? 'it' : fault.pointer;
    return [
      `${place}: tasks.${task.id}.output.schema does not fit OpenAI's strict mode: ${where} ${fault.message}; or set "strict": false`,
    ];
  });
}

function asksOpenAi({ models, providers }: ResolvedManifest, task: ResolvedTask): boolean {
  return Object.values(models).some((model) => {
    const baseUrl = providers[model.provider]?.baseUrl ?? null;
    const asked = task.models === null || task.models.includes(model.id);
    const bySchema = model.structuredOutput === 'auto' || model.structuredOutput === 'json_schema';
    return asked && bySchema && baseUrl !== null && new URL(baseUrl).host === OPENAI_HOST;
  });
}
