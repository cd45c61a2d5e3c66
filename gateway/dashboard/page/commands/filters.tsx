import { VERDICTS, type Verdict } from '../../../domain/verdict.ts';
import type { CommandWire } from '../../wire.ts';
import type { CommandsQuery } from '../api.ts';
import { verdictWords } from '../parts/verdict-badge.tsx';
import { commandsHref } from '../route.ts';
import { devices, home } from '../state/home.ts';

interface FiltersProps {
  readonly query: CommandsQuery;
  /** The commands that are listed: they name principals. */
  readonly seen: readonly CommandWire[];
}

/** What the list is narrowed to; it stands in the address, so that a narrowed list can be kept and sent on. */
export function Filters({ query, seen }: FiltersProps) {
  const known = [...(devices.value ?? new Map()).values()].map((device) => device.value);
  const gone = seen.filter(({ device }) => !known.some(({ id }) => id === device));
  const deviceNames = new Map([
    ...known.map(({ id, name }) => [id, name] as const),
    ...gone.map(({ device, device_name }) => [device, device_name] as const),
  ]);
  const principals = new Set([
    ...(query.principal ? [query.principal] : []),
    ...seen.map(({ principal }) => principal),
  ]);
  const narrow = (change: Partial<CommandsQuery>) => {
    location.hash = commandsHref({ ...query, ...change });
  };
  return (
    <div class="filters">
      <Filter
        name="Device"
        all="All devices"
        value={query.device}
        options={[...deviceNames].sort(([, a], [, b]) => a.localeCompare(b))}
        onChange={(device) => narrow({ device })}
      />
      <Filter
        name="Verdict"
        all="All verdicts"
        value={query.verdict}
        options={VERDICTS.map((verdict: Verdict) => [verdict, verdictWords(verdict)])}
        onChange={(verdict) => narrow({ verdict })}
      />
      <Filter
        name="By"
        all="Everybody"
        value={query.principal}
        options={[...principals].sort().map((principal) => [principal, principal])}
        onChange={(principal) => narrow({ principal })}
      />
      <Filter
        name="Day"
        all="Live"
        value={query.day}
        options={(home.value?.days ?? []).map((day) => [day, day])}
        onChange={(day) => narrow({ day })}
      />
    </div>
  );
}

function Filter(props: {
  readonly name: string;
  /** The words for no narrowing at all. */
  readonly all: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}) {
  const { name, all, value, options, onChange } = props;
  const isKnown = value === '' || options.some(([option]) => option === value);
  return (
    <label class="filter">
      <span>{name}</span>
      <select class="list" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{all}</option>
        {!isKnown && <option value={value}>{value}</option>}
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
