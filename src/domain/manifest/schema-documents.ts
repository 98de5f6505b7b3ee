import { z } from 'zod';
import { choice, envName, flag, list, object, text, withRule } from './fields.ts';

const DOCUMENT_FORMATS = ['markdown', 'text', 'rfc', 'html', 'pdf', 'docx', 'asciidoc', 'latex'] as const;

const documentFields = object(
  {
    path: text('a path').optional().describe('One file, relative to the file that names it. Either this or "include".'),
    include: text('a glob').optional().describe('Glob of files, relative to the file that names it. Either this or "path".'),
    exclude: list(text('a glob'), 'globs').default([]).describe('Globs of files that "include" must not take.'),
    id: text('a name').optional().describe('Name of the document in results; default its path. Only with "path".'),
    tags: list(text('a tag'), 'tags')
      .default([])
      .describe('Tags by which tasks choose documents ("tag:x"). A file that several entries name has the tags of all.'),
    passwordEnv: envName().optional().describe('Environment variable with the password of an encrypted file.'),
    format: choice(DOCUMENT_FORMATS).optional().describe('Format, when the content does not show it.'),
    charset: text('an encoding label').optional().describe('Character encoding of a text file, such as "windows-1252".'),
    optional: flag().default(false).describe('Whether it is no error when no file matches.'),
  },
  'a glob or an object with "path" or "include"',
);

const documentObject = withRule(documentFields, ({ path, include, exclude, id, charset }, report) => {
  if (path === undefined && include === undefined) report([], 'needs "path" or "include"');
  if (path !== undefined && include !== undefined) report(['include'], 'has both "path" and "include": keep one');
  if (path !== undefined && Array.isArray(exclude) && exclude.length > 0) report(['exclude'], 'has no meaning beside "path"');
  if (include !== undefined && id !== undefined) report(['id'], 'needs "path": a glob may match many files');
  if (typeof charset === 'string' && charset !== '' && !isEncoding(charset)) {
    report(['charset'], 'must be an encoding label of the WHATWG list, such as "windows-1252"');
  }
});

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** One entry of `documents`. */
export const documentSchema = z.union([text('a glob'), documentObject], { error: 'must be a glob or an object with "path" or "include"' });

export type DocumentInput = z.output<typeof documentSchema>;

export const documentsSchema = list(documentSchema, 'globs or objects').min(1, { error: 'must name at least one glob or file' });
