import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, wordsOf } from '../api.ts';
import { Button } from '../parts/button.tsx';
import type { TokenEntry } from '../session-wire.ts';

/** The tokens that there are, by name, and their end. @param made changes when one was made */
export function TokenList({ made }: { readonly made: string | null }) {
  const tokens = useSignal<readonly TokenEntry[]>([]);
  const problem = useSignal<string | null>(null);
  const load = async () => {
    try {
      tokens.value = (await api.tokens()).tokens;
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  useEffect(() => {
    void load();
  }, [made]);
  const revoke = async (name: string) => {
    problem.value = null;
    try {
      await api.revokeToken(name);
      await load();
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  if (tokens.value.length === 0) return null;
  return (
    <div class="panel">
      <h2>Tokens</h2>
      <ul class="tokens">
        {tokens.value.map(({ name, scopes }) => (
          <li key={name}>
            <span class="token-name">{name}</span>
            <span class="quiet">{scopes.join(', ')}</span>
            <Button look="bad" onClick={() => revoke(name)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {problem.value && <p class="refusal">{problem.value}</p>}
    </div>
  );
}
