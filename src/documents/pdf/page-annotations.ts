import type { Pdfium } from './pdfium-module.ts';

// FPDFAnnot_GetSubtype
const LINK = 2;
const POPUP = 16;
const WIDGET = 20;

/** What stands on a page beside its content, and is not read. */
export type PageAnnotations = { readonly fields: number; readonly notes: number };

/** Counts form fields, and what people put on a page: notes, text, stamps, marks. Links and the windows of notes say nothing. */
export function countAnnotations(pdfium: Pdfium, page: number): PageAnnotations {
  let [fields, notes] = [0, 0];
  const count = pdfium.FPDFPage_GetAnnotCount(page);
  for (let index = 0; index < count; index += 1) {
    const annotation = pdfium.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const type = pdfium.FPDFAnnot_GetSubtype(annotation);
    pdfium.FPDFPage_CloseAnnot(annotation);
    if (type === WIDGET) fields += 1;
    else if (type !== LINK && type !== POPUP) notes += 1;
  }
  return { fields, notes };
}
