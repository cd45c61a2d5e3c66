import { useSignal } from '@preact/signals';
import type { Value } from '../../../domain/value.ts';
import { Button } from './button.tsx';

/** A word that may be any: it is asked for as a whole. */
export function TextWish(props: {
  readonly name: string;
  readonly current: Value | null;
  readonly disabled: boolean;
  readonly onAsk: (value: string) => void;
}) {
  const draft = useSignal('');
  return (
    <form
      class="text-wish"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.value.trim()) props.onAsk(draft.value.trim());
        draft.value = '';
      }}
    >
      <input
        class="input"
        aria-label={props.name}
        placeholder={props.current === null ? 'not known' : String(props.current)}
        value={draft.value}
        disabled={props.disabled}
        onInput={(event) => {
          draft.value = event.currentTarget.value;
        }}
      />
      <Button type="submit" disabled={props.disabled}>
        Set
      </Button>
    </form>
  );
}
