import type { Json } from '../canonical-json.ts';
import { type CheckPointer, checkPointers } from './check-targets.ts';
import { dottedOf, type Path } from './path.ts';
import { itemsAt } from './raw.ts';
import type { ResolvedManifest } from './resolved.ts';
import { undeclared } from './schema-reach.ts';
import { placeOf, type Source } from './source.ts';
import { suggestion } from './suggest.ts';

/** Checks that look at names which an open schema does not declare: answers may have them, but likely never do. One line each. */
export function targetAdvice(source: Source, manifest: ResolvedManifest): string[] {
  return Object.values(manifest.tasks).flatMap(({ id, output: { schema } }) =>
    schema === null
      ? []
      : itemsAt(source.value, ['tasks', id, 'checks']).flatMap(([index, check]) =>
          firstAdvice(source, schema, ['tasks', id, 'checks', index], check),
        ),
  );
}

/** Where `at` is a slip, nothing beside it can be judged. */
function firstAdvice(source: Source, schema: Json, path: Path, check: Json): string[] {
  const advice = checkPointers(check).map((target) => adviceOf(source, schema, [...path, target.field], target));
  const [own = []] = advice;
  return own.length > 0 ? own : advice.flat();
}

function adviceOf(source: Source, schema: Json, path: Path, { pointer, stated }: CheckPointer): string[] {
  const end = undeclared(schema, pointer);
  if (end === null) return [];
  const guess = suggestion(end.segment, end.known);
  const meant = guess === null ? '' : ` (did you mean ${JSON.stringify(replaced(stated, end.segment, guess))}?)`;
  return [`${placeOf(source, path)}: ${dottedOf(path)} names ${JSON.stringify(stated)}, which the schema does not declare${meant}`];
}

function replaced(pointer: string, segment: string, guess: string): string {
  const segments = pointer.split('/');
  const at = segments.indexOf(segment);
  return segments.map((each, index) => (index === at ? guess : each)).join('/');
}
