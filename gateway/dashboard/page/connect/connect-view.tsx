import { useSignal } from '@preact/signals';
import { Choice } from '../parts/choice.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { isAdmin } from '../state/home.ts';
import { session } from '../state/session.ts';
import { CLIENTS } from './clients.ts';
import { TokenList } from './token-list.tsx';
import { TokenMaker } from './token-maker.tsx';
import { TryIt } from './try-it.tsx';

/** What a client has to be told, with everything in it. */
export function ConnectView() {
  const chosen = useSignal(CLIENTS[0]?.name ?? '');
  const token = useSignal<string | null>(null);
  const client = CLIENTS.find(({ name }) => name === chosen.value);
  const needsToken = session.value?.needs_token ?? false;
  const isMaker = needsToken && isAdmin.value && (session.value?.can_make_tokens ?? false);
  const door = { origin: location.origin, token: needsToken ? (token.value ?? 'TOKEN') : null };
  return (
    <section class="connect" aria-label="Connect">
      <div class="panel">
        <h2>Connect an assistant</h2>
        <Choice
          name="Client"
          spread
          options={CLIENTS.map(({ name }) => name)}
          current={chosen.value}
          show={(name) => name}
          onChoose={(name) => {
            chosen.value = name;
          }}
        />
        {client && (
          <>
            <p>{client.how}:</p>
            <Copyable text={client.entry(door)} what={`the entry for ${client.name}`} />
            {client.note && <p class="quiet">{client.note}</p>}
          </>
        )}
        <TokenWords needsToken={needsToken} hasToken={token.value !== null} isMaker={isMaker} />
      </div>
      {isMaker && (
        <TokenMaker
          made={token.value}
          onMade={(made) => {
            token.value = made;
          }}
        />
      )}
      <TryIt token={needsToken ? token.value : null} isReady={!needsToken || token.value !== null} />
      {isMaker && <TokenList made={token.value} />}
    </section>
  );
}

function TokenWords(props: { readonly needsToken: boolean; readonly hasToken: boolean; readonly isMaker: boolean }) {
  if (!props.needsToken) {
    return (
      <p class="quiet">
        This gateway asks nobody for a token: whoever reaches it may do everything. The entries work as they are.
      </p>
    );
  }
  if (props.hasToken) return <p class="quiet">The entry holds the token that was just made.</p>;
  return (
    <p class="quiet">
      {props.isMaker
        ? 'Make a token below, and it stands in the entry in the place of TOKEN.'
        : 'Put a token in the place of TOKEN. Whoever administers the gateway can make one.'}
    </p>
  );
}
