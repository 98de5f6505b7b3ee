import { expect, test } from 'vitest';
import { contentOf, outlineOf } from '../extracted.ts';

const SOURCE = String.raw`\documentclass{article}
\newcommand{\old}{\section{Preamble}}
\title{The \emph{Timer} \\ at 5\,\% Load}
\begin{document}
\begin{abstract}
Short.
\end{abstract}
\section{\label{scope}Scope \& {Limits}}
% \section{Commented}
100\% of \verb|\section{verb}| works. \\%\section{Broken}
\subsection[short]{A long
title}\label{sec:long}
\begin{verbatim}
\section{Verbatim}
\end{verbatim}
\begin{tabular}{c|c}
\hline
A & B \\
\hline
1 & 2 \\
\hline
\end{tabular}
\subsubsection*{Deep}
\input{parts/more}
% \input{unused}
\include{appendix} \includegraphics{x.png}
\section{Never closed
\end{document}
\section{After}
`;

test('LaTeX is kept as it is; sections are the commands that count, with their labels', async () => {
  const content = await contentOf(SOURCE, 'a.tex');
  expect(content).toMatchObject({ format: 'latex', extractor: 'latex@1+norm:1', title: 'The Timer at 5% Load', text: SOURCE.trimEnd() });
  expect(outlineOf(content)).toEqual(['Abstract', 'Scope & Limits', '  A long title', '    Deep']);
  expect(content.sections.map(({ anchor }) => anchor)).toEqual([undefined, 'scope', 'sec:long', undefined]);
});

test('files that LaTeX reads in are not followed, and named', async () => {
  expect((await contentOf(SOURCE, 'a.tex')).warnings).toEqual(['\\input not followed: the text lacks parts/more, appendix']);
});

test('verbatim text and tables are blocks; the header of a table ends at the rule below it', async () => {
  const { text, blocks } = await contentOf(SOURCE, 'a.tex');
  expect(blocks.map(({ kind, start, headerEnd }) => [kind, headerEnd && text.slice(start, headerEnd)])).toEqual([
    ['listing', null],
    ['table', '\\begin{tabular}{c|c}\n\\hline\nA & B \\\\\n\\hline'],
  ]);
});

test('chapters move sections one level down', async () => {
  expect(outlineOf(await contentOf('\\section{In}\\chapter{One}\\section{Two}', 'a.ltx'))).toEqual(['  In', 'One', '  Two']);
});
