import { answerJson, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { goodAnswer } from './project.ts';

/** Answers the first `free` requests at once and holds the others back until `open` is called. */
export async function gatedServer(free: number): Promise<ScriptedServer & { readonly open: () => void }> {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = await startScriptedServer({
    respond: async ({ prompt, n }) => {
      if (n > free) await opened;
      return answerJson(goodAnswer(prompt));
    },
  });
  return { ...server, open };
}

/** Resolves once `ready` holds; asks again whenever the event loop turns, so that nothing depends on a pause being long enough. */
export async function until(ready: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 20));
}
