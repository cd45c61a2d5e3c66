import type { Value } from '../../../domain/value.ts';
import type { CommandWire, FieldWire } from '../../wire.ts';
import { Icon } from '../parts/icon.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { mayControl } from '../state/home.ts';
import { label, show } from '../words.ts';
import { FieldControl, limitsText } from './field-control.tsx';
import { type Told, toldOf } from './told.ts';
import { ask, askedFor } from './wishes.ts';

/** A value this much older than the device's newest has its own age beside it, in ms. */
const OLDER_MS = 60_000;

interface FieldRowProps {
  readonly device: string;
  readonly field: FieldWire;
  readonly commands: readonly CommandWire[];
  /** When the device was last read, whatever was read. */
  readonly readAt: string | null;
}

/** One field of a device: its name, its value and what it was told, and where the reader may, its control. */
export function FieldRow({ device, field, commands, readAt }: FieldRowProps) {
  const told = toldOf(field, commands);
  const asked = askedFor(device, field.name);
  const pending = asked ?? (told?.pending ? told.wanted : null);
  const isControl = field.writable && mayControl.value;
  const limits = isControl
    ? [limitsText(field), field.asks ? 'may ask a person' : null].filter((words) => words !== null)
    : [];
  return (
    <div class={isControl ? 'field' : 'field reading'}>
      <div class="field-name">
        <span>{label(field.name)}</span>
        {told || asked !== undefined ? (
          <ToldText field={field} told={told} asked={asked} />
        ) : (
          limits.length > 0 && <span class="limits">{limits.join(', ')}</span>
        )}
        {isOlder(field.at, readAt) && field.at && <RelativeTime at={field.at} />}
      </div>
      {isControl ? (
        <FieldControl field={field} pending={pending} onAsk={(value) => void ask(device, { [field.name]: value })} />
      ) : (
        <span class="value">{show(field.value, field)}</span>
      )}
      {field.applies === false && <p class="why">{field.applies_text ?? 'It has no effect in the present state.'}</p>}
    </div>
  );
}

function ToldText(props: { field: FieldWire; told: Told | null; asked: Value | undefined }) {
  const { field, told, asked } = props;
  if (asked !== undefined) return <span class="told pending">→ {show(asked, field)}</span>;
  if (!told) return null;
  if (told.pending) {
    return (
      <span class="told pending">
        <Icon name="clock" />→ {show(told.wanted, field)}
      </span>
    );
  }
  return (
    <span class="told apart">
      <Icon name="apart" />
      told {show(told.wanted, field)}
      <span class="unseen">, reads {show(field.value, field)}</span>
    </span>
  );
}

function isOlder(at: string | null, readAt: string | null): boolean {
  return at !== null && readAt !== null && Date.parse(readAt) - Date.parse(at) > OLDER_MS;
}
