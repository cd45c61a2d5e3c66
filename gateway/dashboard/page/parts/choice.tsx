import type { ComponentChildren } from 'preact';

/** More than this many words become a list that opens. */
const MOST_SEGMENTS = 6;

interface ChoiceProps {
  /** What is chosen, for screen readers. */
  readonly name: string;
  readonly options: readonly string[];
  /** The one in force; null: none is known. */
  readonly current: string | null;
  /** One that was asked for and is not in force yet. */
  readonly pending?: string | null;
  readonly disabled?: boolean;
  /** Side by side however many they are. */
  readonly spread?: boolean;
  readonly show: (option: string) => ComponentChildren;
  readonly onChoose: (option: string) => void;
}

/** One of a few words: side by side where they fit, else a list. It shows what is in force, not what was tapped. */
export function Choice(props: ChoiceProps) {
  return props.options.length > MOST_SEGMENTS && !props.spread ? <List {...props} /> : <Segments {...props} />;
}

function Segments({ name, options, current, pending = null, disabled = false, show, onChoose }: ChoiceProps) {
  return (
    <fieldset class="segments" disabled={disabled}>
      <legend class="unseen">{name}</legend>
      {options.map((option) => (
        <button
          key={option}
          type="button"
          class={option === pending ? 'segment pending' : 'segment'}
          aria-pressed={option === current}
          aria-busy={option === pending}
          onClick={() => onChoose(option)}
        >
          {show(option)}
        </button>
      ))}
    </fieldset>
  );
}

function List({ name, options, current, pending = null, disabled = false, show, onChoose }: ChoiceProps) {
  return (
    <select
      class={pending === null ? 'list' : 'list pending'}
      aria-label={name}
      aria-busy={pending !== null}
      disabled={disabled}
      value={current ?? ''}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        // The list goes back to what is in force; only a reading changes that.
        event.currentTarget.value = current ?? '';
        onChoose(chosen);
      }}
    >
      {(current === null || !options.includes(current)) && (
        <option value={current ?? ''}>{current === null ? 'Not known' : show(current)}</option>
      )}
      {options.map((option) => (
        <option key={option} value={option}>
          {show(option)}
        </option>
      ))}
    </select>
  );
}
