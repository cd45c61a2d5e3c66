import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SimulatorWire } from '../../wire.ts';
import { api, wordsOf } from '../api.ts';
import { Empty } from '../parts/empty.tsx';
import { SkeletonCards } from '../parts/skeleton.tsx';
import { SimulatedDevice } from './simulated-device.tsx';

/** The truth is not part of the stream: it is looked at this often, and only while somebody does. */
const LOOK_MS = 1_000;

/** What the simulated devices really are, and the levers that make them misbehave. */
export function SimulatorView() {
  const told = useSignal<SimulatorWire | null>(null);
  const problem = useSignal<string | null>(null);

  const look = async () => {
    try {
      told.value = await api.simulator();
      problem.value = null;
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isWanted = true;
    const again = async () => {
      if (!document.hidden) await look();
      if (isWanted) timer = setTimeout(() => void again(), LOOK_MS);
    };
    void again();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, []);

  if (!told.value) {
    return problem.value ? <Empty title="The simulator does not answer">{problem.value}</Empty> : <SkeletonCards />;
  }
  const { faults, devices } = told.value;
  return (
    <section class="area" aria-label="Simulator">
      <p class="lead">
        These devices do not exist. Let one misbehave, command it, and see whether the gateway is taken in: on the left
        is what a device really is, on the right what the gateway believes.
      </p>
      {problem.value && <p class="refusal">{problem.value}</p>}
      <div class="cards wide">
        {devices.map((device) => (
          <SimulatedDevice key={device.id} simulated={device} faults={faults} onChanged={look} />
        ))}
      </div>
    </section>
  );
}
