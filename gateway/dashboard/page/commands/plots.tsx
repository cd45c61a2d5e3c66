import { useEffect, useRef } from 'preact/hooks';
import type { CommandStoryWire } from '../../wire.ts';
import { theme } from '../state/theme.ts';
import { label } from '../words.ts';
import { type PlotData, plotData } from './plot-data.ts';

/** What each field was told and what was read of it, over time. */
export function Plots({ story }: { readonly story: CommandStoryWire }) {
  if (story.command.fields.length === 0) return null;
  return (
    <section class="plots" aria-label="Wanted and read over time">
      {story.command.fields.map((field) => (
        <Plot key={field.name} data={plotData(story, field)} />
      ))}
      <p class="legend" aria-hidden="true">
        <span class="legend-wanted">wanted</span>
        <span class="legend-read">read</span>
        <span class="legend-aside">set aside</span>
      </p>
    </section>
  );
}

function Plot({ data }: { readonly data: PlotData }) {
  const frame = useRef<HTMLDivElement>(null);
  const key = JSON.stringify([data, theme.value]);

  // The key stands for the data, which is a new object each time.
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let end: (() => void) | undefined;
    let isWanted = true;
    // Drawn only where a command is looked at: the house itself comes without it.
    void import('./draw-plot.ts').then(({ drawPlot }) => {
      if (isWanted) end = drawPlot(element, data);
    });
    return () => {
      isWanted = false;
      end?.();
    };
  }, [key]);

  return (
    <figure class="plot">
      <figcaption>{label(data.field.name)}</figcaption>
      <div class="plot-frame" ref={frame} role="img" aria-label={data.text} />
    </figure>
  );
}
