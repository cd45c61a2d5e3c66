import type { Value } from '../../../domain/value.ts';
import type { FieldWire } from '../../wire.ts';
import { Choice } from '../parts/choice.tsx';
import { Slider, Stepper } from '../parts/stepper.tsx';
import { TextWish } from '../parts/text-wish.tsx';
import { label, show, word } from '../words.ts';

/** Numbers of which a person means the region and not the digit. */
const SLID: ReadonlySet<string> = new Set(['percentage', 'position', 'brightness', 'color_temp', 'tilt_position']);

interface FieldControlProps {
  readonly field: FieldWire;
  /** What is under way for it; null: nothing. */
  readonly pending: Value | null;
  readonly onAsk: (value: Value) => void;
}

/** The control that fits a field. It shows what was read; a wish shows as pending until the device has answered to it. */
export function FieldControl({ field, pending, onAsk }: FieldControlProps) {
  const name = label(field.name);
  const disabled = field.applies === false;
  const { options, min, max } = field;
  // The same wish twice would only supersede itself.
  const askNew = (value: Value) => {
    if (value !== pending) onAsk(value);
  };
  if (options) {
    return (
      <Choice
        name={name}
        options={options}
        current={field.value === null ? null : spelled(options, field.value)}
        pending={pending === null ? null : String(pending)}
        disabled={disabled}
        show={word}
        onChoose={askNew}
      />
    );
  }
  if (!isNumber(field)) return <TextWish name={name} current={field.value} disabled={disabled} onAsk={askNew} />;
  const number = {
    name,
    current: typeof field.value === 'number' ? field.value : null,
    step: field.step,
    disabled,
    show: (value: number) => show(value, field),
    onAsk: askNew,
  };
  if (SLID.has(field.name) && min !== undefined && max !== undefined) return <Slider {...number} min={min} max={max} />;
  return <Stepper {...number} pending={typeof pending === 'number' ? pending : null} min={min} max={max} />;
}

/** The limits of a number in words; null where it has none. */
export function limitsText({ min, max, unit, step, options }: FieldWire): string | null {
  if (options || (min === undefined && max === undefined)) return null;
  if (min === undefined) return `up to ${show(max ?? null, { unit, step })}`;
  if (max === undefined) return `from ${show(min, { unit, step })}`;
  return `${show(min, { step })} to ${show(max, { unit, step })}`;
}

function isNumber({ value, min, max, step, unit }: FieldWire): boolean {
  return typeof value === 'number' || min !== undefined || max !== undefined || step !== undefined || !!unit;
}

function spelled(options: readonly string[], value: Value): string {
  return options.find((option) => option.toLowerCase() === String(value).toLowerCase()) ?? String(value);
}
