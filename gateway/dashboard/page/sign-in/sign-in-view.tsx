import { useSignal } from '@preact/signals';
import { wordsOf } from '../api.ts';
import { Button } from '../parts/button.tsx';
import { signIn } from '../state/session.ts';

/** The way in with a token. */
export function SignInView() {
  const token = useSignal('');
  const problem = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const submit = async () => {
    isBusy.value = true;
    problem.value = null;
    try {
      await signIn(token.value.trim());
    } catch (error) {
      problem.value = wordsOf(error);
    }
    isBusy.value = false;
  };
  return (
    <main class="sign-in">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1 class="wordmark">Readback</h1>
        <p>This gateway wants to know who looks. Sign in with a token; it stays in this browser until you sign out.</p>
        <label class="labelled">
          <span>Token</span>
          <input
            class="input"
            type="password"
            name="token"
            autocomplete="current-password"
            required
            value={token.value}
            aria-invalid={problem.value !== null}
            aria-describedby="sign-in-problem"
            onInput={(event) => {
              token.value = event.currentTarget.value;
            }}
          />
        </label>
        <p id="sign-in-problem" class="refusal reserved" role="alert">
          {problem.value}
        </p>
        <Button type="submit" look="main" disabled={isBusy.value}>
          Sign in
        </Button>
        <p class="quiet">
          A token is made on the gateway's machine: <code>readback token add NAME --scope control</code>
        </p>
      </form>
    </main>
  );
}
