import type { TokenCount } from '../documents/tokens.ts';
import type { Extraction } from '../domain/document.ts';

/** What a file's bytes gave. Its tokens are counted where its text already is. */
export type ExtractedDocument = { readonly extraction: Extraction; readonly tokens: TokenCount };
