import { snap } from '../../../domain/value.ts';
import { IconButton } from './button.tsx';
import { useDraft } from './draft.ts';

interface NumberProps {
  readonly name: string;
  /** The value in force; null: none is known. */
  readonly current: number | null;
  /** One that was asked for and is not in force yet. */
  readonly pending: number | null;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly step?: number | undefined;
  readonly disabled?: boolean;
  readonly show: (value: number) => string;
  readonly onAsk: (value: number) => void;
}

/** A number that is moved step by step. Taps that follow each other are one wish. */
export function Stepper(props: NumberProps) {
  const { name, current, pending, min, max, step = 1, disabled = false, show, onAsk } = props;
  const draft = useDraft(onAsk);
  const shown = draft.value.value ?? current;
  // What is under way is where the next tap goes on from, though it is not what is shown.
  const from = draft.value.value ?? pending ?? current;
  const move = (by: number) => {
    const next = from === null ? (min ?? 0) : from + by * step;
    draft.change(within(snap(limitsOf(props), next), min, max));
  };
  return (
    <fieldset class="stepper" disabled={disabled}>
      <legend class="unseen">{name}</legend>
      <IconButton
        label={`${name} down`}
        icon="minus"
        disabled={from !== null && min !== undefined && from <= min}
        onClick={() => move(-1)}
      />
      <output class={draft.value.value === null ? 'stepper-value' : 'stepper-value draft'}>
        {shown === null ? '–' : show(shown)}
      </output>
      <IconButton
        label={`${name} up`}
        icon="plus"
        disabled={from !== null && max !== undefined && from >= max}
        onClick={() => move(1)}
      />
    </fieldset>
  );
}

/** A number between two ends. Let go, the thumb goes back to what was read, until the device has moved. */
export function Slider(props: Omit<NumberProps, 'pending'> & { readonly min: number; readonly max: number }) {
  const { name, current, min, max, step, disabled = false, show, onAsk } = props;
  const draft = useDraft(onAsk);
  const shown = draft.value.value ?? current ?? min;
  const known = draft.value.value ?? current;
  return (
    <div class="slider">
      <input
        type="range"
        aria-label={name}
        aria-valuetext={known === null ? 'not known' : show(known)}
        min={min}
        max={max}
        step={step ?? 'any'}
        value={shown}
        disabled={disabled}
        onInput={(event) => draft.hold(Number(event.currentTarget.value))}
        onChange={(event) => draft.change(Number(event.currentTarget.value))}
      />
      <output class={draft.value.value === null ? 'slider-value' : 'slider-value draft'}>
        {known === null ? '–' : show(known)}
      </output>
    </div>
  );
}

function limitsOf({ min, max, step }: NumberProps): { min?: number; max?: number; step: number } {
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }), step: step ?? 1 };
}

function within(value: number, min = -Infinity, max = Infinity): number {
  return Math.min(max, Math.max(min, value));
}
