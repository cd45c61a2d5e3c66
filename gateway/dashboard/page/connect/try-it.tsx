import { useSignal } from '@preact/signals';
import { wordsOf } from '../api.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { span } from '../words.ts';
import { getState, type ToolAnswer } from './mcp.ts';

/** Asks for the state as a client would, and shows what a client would see. */
export function TryIt({ token, isReady }: { readonly token: string | null; readonly isReady: boolean }) {
  const answer = useSignal<ToolAnswer | null>(null);
  const isBusy = useSignal(false);
  const test = async () => {
    isBusy.value = true;
    answer.value = await getState(token).catch((error: unknown) => ({ ok: false, text: wordsOf(error), tookMs: 0 }));
    isBusy.value = false;
  };
  return (
    <div class="panel">
      <h2>Try it</h2>
      <p>
        Calls <code>get_state</code> over MCP{token ? ' with the token that was made' : ''}, as a client does, and shows
        what a model would read.
      </p>
      <Button look="main" icon="forward" disabled={!isReady || isBusy.value} onClick={test}>
        Call get_state
      </Button>
      {!isReady && <p class="quiet">It needs the token that is made above.</p>}
      <div class="try-answer" role="status">
        {answer.value && (
          <>
            <p class={answer.value.ok ? 'tone-good' : 'tone-bad'}>
              <Icon name={answer.value.ok ? 'check' : 'cross'} />
              {answer.value.ok ? `Answered in ${span(answer.value.tookMs)}` : 'Not served'}
            </p>
            <p class="tool-text">{answer.value.text}</p>
          </>
        )}
      </div>
    </div>
  );
}
