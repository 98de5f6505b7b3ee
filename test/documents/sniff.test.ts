import { describe, expect, test } from 'vitest';
import { readerFor } from '../../src/documents/sniff.ts';
import { input } from './extracted.ts';

const reader = (content: string | Uint8Array, name: string, format: string | null = null) => readerFor(input(content, name, { format }));

describe('content decides before the extension', () => {
  test.each([
    ['%PDF-1.7 …', 'paper.md', 'pdf'],
    [`${' '.repeat(500)}%PDF-1.4`, 'paper', 'pdf'],
    ['junk before\n%PDF-1.4', 'paper.pdf', 'pdf'],
    ['<!DOCTYPE html><p>x', 'page.txt', 'html'],
    ['\ufeff\n<!-- saved -->\n<HTML lang="en">', 'page', 'html'],
    ['<?xml version="1.0"?>\n<html xmlns="x">', 'page.md', 'html'],
    ['plain', 'spec.md', 'markdown'],
    ['plain', 'SPEC.MARKDOWN', 'markdown'],
    ['<p>a fragment', 'part.html', 'html'],
    ['plain', 'notes', 'text'],
    ['= Title', 'spec.adoc', 'asciidoc'],
    ['= Title', 'spec.asc', 'asciidoc'],
    ['% paper\n\\documentclass[a4paper]{article}', 'paper.txt', 'latex'],
    ['a,b\n', 'table.csv', 'text'],
    [Buffer.from('\ufeff<!doctype html><p>x', 'utf16le'), 'page.txt', 'html'],
    [Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), Buffer.from('word/document.xml')]), 'paper.bin', 'docx'],
    [Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0]), 'locked.docx', 'docx'],
    ['\\section{x}', 'paper.tex', 'latex'],
    ['A PDF begins with %PDF-1.7.', 'about-pdf.md', 'markdown'],
    ['<!DOCTYPE book>', 'book.xml', 'text'],
    ['# About <html>', 'html.md', 'markdown'],
    ['<!-- one --><!-->\n<!-- two -->\n<!doctype html>', 'page.md', 'html'],
    [`${'<!-- a -->\n'.repeat(40)}# Title`, 'spec.md', 'markdown'],
    ['<!-- never closed <html>', 'spec.md', 'markdown'],
  ])('%j named %s is read as %s', (content, name, expected) => {
    expect(reader(content, name)).toBe(expected);
  });
});

describe('the format that the manifest states decides', () => {
  test.each([
    ['<!doctype html>', 'page.html', 'markdown', 'markdown'],
    ['plain', 'spec.md', 'rfc', 'text'],
    ['plain', 'x.md', 'html', 'html'],
    ['plain', 'x.md', 'pdf', 'pdf'],
  ])('%j named %s, stated as %s, is read as %s', (content, name, format, expected) => {
    expect(reader(content, name, format)).toBe(expected);
  });

  test('a format that is not known yet is refused with the known ones', () => {
    expect(() => reader('x', 'x.odt', 'odt')).toThrow(
      'format "odt" is not supported; known: pdf, docx, html, markdown, asciidoc, latex, text, rfc',
    );
  });
});

describe('what cannot be read is named', () => {
  const zip = (entry: string) => Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), Buffer.from(entry)]);
  test.each([
    [zip('xl/workbook.xml'), 'a.md', 'it looks like XLSX, which is not supported'],
    [zip('anything'), 'a.zip', 'it looks like a ZIP archive, which is not supported'],
    [Buffer.from(`${'x'.repeat(257)}ustar`), 'a.txt', 'it looks like a TAR archive, which is not supported'],
    [Uint8Array.from([0x89, 0x50, 0x4e, 0x47]), 'a.md', 'it looks like a PNG image, which is not supported'],
    [Buffer.from('{\\rtf1 x}'), 'a.txt', 'it looks like RTF, which is not supported'],
  ])('%#: %s', (bytes, name, message) => {
    expect(() => reader(bytes, name)).toThrow(expect.objectContaining({ reason: 'document_unreadable', message }));
  });

  test('an error page that was saved as a PDF is broken', () => {
    expect(() => reader('<html><title>404</title>', 'paper.pdf')).toThrow(
      expect.objectContaining({ reason: 'document_broken', message: 'not a PDF: it has no %PDF- header and looks like an HTML page' }),
    );
  });

  test('a page that was saved as a DOCX is broken', () => {
    expect(() => reader('<html>', 'paper.docx')).toThrow('not a DOCX: it is no ZIP archive and looks like an HTML page');
  });

  test('an empty file is empty, whatever its name', () => {
    for (const name of ['a.pdf', 'a.txt', 'a'])
      expect(() => reader('', name)).toThrow(expect.objectContaining({ reason: 'document_empty' }));
  });
});
