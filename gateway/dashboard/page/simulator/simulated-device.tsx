import { useSignal } from '@preact/signals';
import type { SimulatedDeviceWire, SimulatorChangeWire } from '../../wire.ts';
import { api, wordsOf } from '../api.ts';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/choice.tsx';
import { Stepper } from '../parts/stepper.tsx';
import { devices } from '../state/home.ts';
import { label, show, span, word } from '../words.ts';

const SLOWEST_MS = 60_000;
const DELAY_STEP_MS = 500;

interface SimulatedDeviceProps {
  readonly simulated: SimulatedDeviceWire;
  readonly faults: readonly string[];
  readonly onChanged: () => Promise<void>;
}

/** One simulated device: its truth beside what the gateway believes, its delay and its faults. */
export function SimulatedDevice({ simulated, faults, onChanged }: SimulatedDeviceProps) {
  const problem = useSignal<string | null>(null);
  const fault = useSignal(faults[0] ?? '');
  const change = async (wanted: SimulatorChangeWire) => {
    problem.value = null;
    try {
      await api.changeSimulated(simulated.id, wanted);
      await onChanged();
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  return (
    <article class="card" aria-labelledby={`simulated-${simulated.id}`}>
      <header class="card-head">
        <h3 id={`simulated-${simulated.id}`}>{simulated.name}</h3>
        <span class="quiet">
          {simulated.received} {simulated.received === 1 ? 'command' : 'commands'} really received
        </span>
      </header>
      <div class="truths">
        <Values
          title="Really is"
          values={Object.entries(simulated.truth).map(([name, value]) => [word(name), truthText(value)])}
        />
        <Believed device={simulated.device} />
      </div>
      <div class="field">
        <div class="field-name">
          <span>Acts after</span>
          <span class="limits">0 s to {span(SLOWEST_MS)}</span>
        </div>
        <Stepper
          name={`Delay of ${simulated.name}`}
          current={simulated.delay_ms}
          pending={null}
          min={0}
          max={SLOWEST_MS}
          step={DELAY_STEP_MS}
          show={(ms) => `${ms / 1_000} s`}
          onAsk={(delay_ms) => void change({ delay_ms })}
        />
      </div>
      <div class="field">
        <div class="field-name">
          <span>Fault</span>
        </div>
        <Choice
          name={`Fault of ${simulated.name}`}
          options={faults}
          current={fault.value}
          show={word}
          onChoose={(chosen) => {
            fault.value = chosen;
          }}
        />
        <div class="actions">
          <Button onClick={() => change({ arm: fault.value, once: true })}>Once</Button>
          <Button onClick={() => change({ arm: fault.value, once: false })}>Until cleared</Button>
        </div>
      </div>
      <Armed simulated={simulated} onClear={() => change({ clear: true })} />
      {problem.value && <p class="refusal">{problem.value}</p>}
    </article>
  );
}

function Armed({ simulated, onClear }: { readonly simulated: SimulatedDeviceWire; readonly onClear: () => unknown }) {
  return (
    <div class="armed">
      <span role="status">
        {simulated.armed.length === 0
          ? 'Behaves as it should'
          : simulated.armed.map(({ fault, once }) => `${word(fault)} ${once ? 'once' : 'until cleared'}`).join(', ')}
      </span>
      <Button look="bad" disabled={simulated.armed.length === 0} onClick={onClear}>
        Clear
      </Button>
    </div>
  );
}

function Believed({ device }: { readonly device: string | null }) {
  const believed = device === null ? undefined : devices.value?.get(device)?.value;
  if (!believed) return <p class="quiet">The gateway knows no such device.</p>;
  return (
    <Values
      title="Gateway believes"
      values={believed.fields.map((field) => [label(field.name), show(field.value, field)])}
    />
  );
}

function Values(props: { readonly title: string; readonly values: readonly (readonly [string, string])[] }) {
  return (
    <div>
      <h4>{props.title}</h4>
      <dl class="values">
        {props.values.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The truth is told in the device's own words, whatever their type. */
function truthText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}
