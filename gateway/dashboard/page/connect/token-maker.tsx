import { useSignal } from '@preact/signals';
import type { Scope } from '../../../domain/principal.ts';
import { api, wordsOf } from '../api.ts';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/choice.tsx';
import { Copyable } from '../parts/copyable.tsx';

/** What a token is made for, each with its scopes. */
const PURPOSES: Readonly<Record<string, readonly Scope[]>> = {
  'Look only': ['read'],
  'Look and command': ['control'],
  'Command and approve': ['control', 'approve'],
  Everything: ['admin'],
};

interface TokenMakerProps {
  /** The token that was made last; null: none yet. */
  readonly made: string | null;
  readonly onMade: (token: string) => void;
}

/** Makes a token. It is told once: the gateway keeps only its fingerprint. */
export function TokenMaker({ made, onMade }: TokenMakerProps) {
  const name = useSignal('assistant');
  const purpose = useSignal('Look and command');
  const problem = useSignal<string | null>(null);
  const make = async () => {
    problem.value = null;
    try {
      const { token } = await api.makeToken(name.value.trim(), PURPOSES[purpose.value] ?? ['read']);
      onMade(token);
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <h2>Make a token</h2>
      <label class="labelled">
        <span>Whose is it?</span>
        <input
          class="input"
          name="name"
          required
          maxLength={64}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
      </label>
      <div class="labelled">
        <span>What may it do?</span>
        <Choice
          name="What may it do?"
          options={Object.keys(PURPOSES)}
          current={purpose.value}
          show={(each) => each}
          onChoose={(each) => {
            purpose.value = each;
          }}
        />
      </div>
      <Button type="submit" look="main">
        Make it
      </Button>
      {problem.value && <p class="refusal">{problem.value}</p>}
      {made && (
        <div class="made" role="status">
          <p>This is shown once. It stands in the entry above as well.</p>
          <Copyable text={made} what="the token" />
        </div>
      )}
    </form>
  );
}
