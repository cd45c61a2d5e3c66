import { type Signal, useComputed } from '@preact/signals';
import type { CommandWire, DeviceWire, FieldWire } from '../../wire.ts';
import { api } from '../api.ts';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { commandsByDevice } from '../state/home.ts';
import { label, show } from '../words.ts';
import { FieldRow } from './field-row.tsx';
import { headline } from './headline.ts';
import { LastCommand } from './last-command.tsx';

/** The fields that stand on the card itself, in this order; the others are behind "more". */
const FIRST = [
  'power',
  'state',
  'hvac_mode',
  'mode',
  'target_temperature',
  'target_temperature_low',
  'target_temperature_high',
  'target_humidity',
  'percentage',
  'position',
  'brightness',
];

const NO_COMMANDS: readonly CommandWire[] = [];

interface DeviceCardProps {
  readonly device: Signal<DeviceWire>;
  /** All controls behind "more", as in a house that is large. */
  readonly isCompact: boolean;
}

/** One device: what it does, what it was told, and whether it obeyed. */
export function DeviceCard({ device: source, isCompact }: DeviceCardProps) {
  const device = source.value;
  const commands = useComputed(() => commandsByDevice.value.get(source.value.id) ?? NO_COMMANDS).value;
  const { figure, words } = headline(device);
  const readAt = newestAt(device.fields);
  const rows = arranged(device.fields, isCompact);
  const row = (field: FieldWire) => (
    <FieldRow key={field.name} device={device.id} field={field} commands={commands} readAt={readAt} />
  );
  return (
    <article class={device.reachable ? 'card' : 'card away'} aria-labelledby={`name-${device.id}`}>
      <header class="card-head">
        <h3 id={`name-${device.id}`}>{device.name}</h3>
        <IconButton
          label={`Read ${device.name} now`}
          icon="again"
          onClick={() => api.look(device.id).catch(() => {})}
        />
      </header>
      <p class="figure">{figure}</p>
      <p class="figure-words">{words.join(' · ') || '\u00a0'}</p>
      <p class="availability">
        <span class={device.reachable ? 'reach' : 'reach away'}>
          <Icon name={device.reachable ? 'check' : 'broken'} />
          {device.reachable ? 'Reachable' : 'Out of reach'}
        </span>
        {readAt ? (
          <span>
            read <RelativeTime at={readAt} />
          </span>
        ) : (
          <span>not read yet</span>
        )}
      </p>
      {rows.first.length > 0 && <div class="fields">{rows.first.map(row)}</div>}
      {(rows.more.length > 0 || device.caveats.length > 0) && (
        <details class="more">
          <summary>
            <Icon name="down" />
            <span class="more-text">{moreText(rows.more)}</span>
          </summary>
          <div class="fields">{rows.more.map(row)}</div>
          {device.caveats.map((caveat) => (
            <p key={caveat} class="caveat">
              {caveat}
            </p>
          ))}
        </details>
      )}
      <LastCommand device={device.id} command={commands[0]} />
    </article>
  );
}

function arranged(
  fields: readonly FieldWire[],
  isCompact: boolean,
): { first: readonly FieldWire[]; more: readonly FieldWire[] } {
  const writable = fields.filter((field) => field.writable);
  const first = FIRST.flatMap((name) => writable.find((field) => field.name === name) ?? []);
  const some = first.length > 0 ? first : fields.slice(0, 3);
  const others = fields.filter((field) => !some.includes(field));
  return isCompact ? { first: [], more: [...some, ...others] } : { first: some, more: others };
}

function moreText(fields: readonly FieldWire[]): string {
  return fields.length === 0
    ? 'Caveats'
    : fields.map((field) => `${label(field.name)} ${show(field.value, field)}`).join(' · ');
}

function newestAt(fields: readonly FieldWire[]): string | null {
  return fields.reduce<string | null>((newest, { at }) => (at !== null && (newest ?? '') < at ? at : newest), null);
}
