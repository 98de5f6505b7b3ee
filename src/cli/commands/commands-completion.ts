import { Argument, type Command } from 'commander';
import { examples, type Invoke } from './command-parts.ts';
import { SHELLS, type Shell } from './options.ts';

/** `completion`: the script that makes a shell complete; `complete`: what that script asks at each TAB. */
export function addCompletion(program: Command, invoke: Invoke): void {
  program
    .command('completion')
    .summary('print a script that completes in your shell')
    .description(
      'Prints a script that completes commands, options and their values, files, and from the database runs, jobs, documents, tasks and models.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        ['source <(aieval completion bash)', 'to keep it: in ~/.bashrc'],
        ['source <(aieval completion zsh)', 'after compinit; in ~/.zshrc'],
        ['aieval completion fish > ~/.config/fish/completions/aieval.fish', 'for every new shell'],
        ['aieval completion powershell | Out-String | Invoke-Expression', 'to keep it: in $PROFILE'],
      ),
    )
    .action((shell: Shell) =>
      invoke(async (io, globals) => (await import('../completion/completion.ts')).completionCommand(io, globals, shell)),
    );
  program
    .command('complete', { hidden: true })
    .description(
      'Prints how a command line can go on: what kind of thing is next, then one candidate for each line, with a tab and a remark.',
    )
    .argument('[words...]', 'the words before the one that is completed')
    .option('--word <word>', 'the word that is completed, up to the cursor', '')
    .action((words: readonly string[], { word }: { readonly word: string }) =>
      invoke(async (io, globals) => (await import('../completion/complete.ts')).completeCommand(io, globals, program, { words, word })),
    );
}
