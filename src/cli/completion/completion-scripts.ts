import type { Shell } from '../commands/options.ts';

/**
 * What a shell runs at TAB. Each asks `aieval complete`, whose first line says what is next (`words`, `files`, `folders`) and whose other
 * lines are candidates, so that all shells complete the same, and what the installed version knows.
 */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

/**
 * bash cuts words at colons and equal signs; they are glued again, and what stands before the last cut is taken off the candidates. Behind
 * an open quote bash replaces what follows it, and closes it itself.
 */
const BASH = `# bash completion of aieval: source <(aieval completion bash)
_aieval() {
  local rest=\${COMP_LINE:0:COMP_POINT} plain='^[A-Za-z0-9_@%+=:,./#-]+$'
  local i word after line value head char kind='' cur='' quote='' before=()
  rest=\${rest#*"\${COMP_WORDS[0]}"}
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    after=\${rest#"\${rest%%[![:space:]]*}"}
    ((i < COMP_CWORD)) || word=$after
    if ((i > 1)) && [[ $after == "$rest" ]]; then
      cur+=$word
    else
      ((i == 1)) || before+=("$cur")
      cur=$word
    fi
    rest=\${after#"$word"}
  done
  COMPREPLY=()
  head=''
  [[ $COMP_WORDBREAKS != *:* ]] || head=\${cur%"\${cur##*[:=]}"}
  for ((i = 0; i < \${#cur}; i++)); do
    char=\${cur:i:1}
    case $quote$char in
      \\\\ | \\"\\\\) ((i++)) ;;
      \\' | \\") quote=$char word=\${cur:0:i} ;;
      \\'\\' | \\"\\") quote='' ;;
    esac
  done
  [[ -z $quote ]] || head=\${word//[\\\\\\"\\']/}
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind=$line
      continue
    fi
    value=\${line%%$'\\t'*}
    [[ -z $quote ]] || value=\${value#"$head"}
    case $quote in
      \\') value=\${value//\\'/\\'\\\\\\'\\'} ;;
      \\") value=$(printf %s "$value" | sed 's/[\\\\"$\`]/\\\\&/g') ;;
      *) [[ $value =~ $plain ]] || printf -v value %q "$value" ;;
    esac
    [[ -n $quote ]] || value=\${value#"$head"}
    COMPREPLY+=("$value")
  done < <(command aieval complete "--word=$cur" -- \${before[@]+"\${before[@]}"} 2>/dev/null)
  case $kind in
    words)
      ((\${#COMPREPLY[@]} > 0)) || compopt +o default 2>/dev/null
      [[ \${COMPREPLY[0]-} != */ ]] || compopt -o nospace 2>/dev/null
      ;;
    folders) compopt +o default -o dirnames 2>/dev/null ;;
  esac
  return 0
}
complete -o default -F _aieval aieval
`;

const ZSH = `#compdef aieval
# zsh completion of aieval: source <(aieval completion zsh), after compinit
_aieval() {
  local -a lines values shown
  local line
  lines=("\${(@f)$(command aieval complete "--word=\${(Q)PREFIX}" -- "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}")
  case \${lines[1]} in
    files) compset -P '-*='; _files; return ;;
    folders) compset -P '-*='; _files -/; return ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  (( \${#values} )) && compadd -l -d shown -a values
}
if [[ \${funcstack[1]} == _aieval ]]; then
  _aieval "$@"
else
  compdef _aieval aieval
fi
`;

const FISH = `# fish completion of aieval: aieval completion fish > ~/.config/fish/completions/aieval.fish
function __aieval_complete
    set -l before (commandline -opc)
    set -e before[1]
    set -l word (commandline -ct)
    set -l lines (command aieval complete "--word=$word" -- $before 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$word"
        case folders
            __fish_complete_directories "$word"
        case '*'
            set -e lines[1]
            printf '%s\\n' $lines
    end
end
complete -c aieval -f -a '(__aieval_complete)'
`;

const POWERSHELL = `# PowerShell completion of aieval: aieval completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName aieval -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text.Trim("'", '"') })
  $kind, $lines = @(aieval complete "--word=$wordToComplete" -- @before 2>$null)
  if ($kind -ne 'words') { return }
  foreach ($line in $lines) {
    $value, $about = $line -split "\`t", 2
    $text = if ($value -match '^[A-Za-z0-9_+=:./-]+$') { $value } else { "'" + $value.Replace("'", "''") + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $(if ($about) { $about } else { $value }))
  }
}
`;

const SCRIPTS: { readonly [Kind in Shell]: string } = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
