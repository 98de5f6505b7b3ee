/** What completion asks for the names of. */
export type NameKind = 'runs' | 'jobs' | 'documents' | 'tasks' | 'models';

export type WantedNames = {
  readonly kind: NameKind;
  /** Id, beginning of an id, or `latest`: whose jobs, documents, tasks or models are meant. */
  readonly run: string;
  readonly beginning: string;
  readonly most: number;
};

export type StoredName = { readonly value: string; readonly about: string };
