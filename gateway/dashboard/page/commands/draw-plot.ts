import UPlot from 'uplot';
import { show, word } from '../words.ts';
import type { Mark, PlotData } from './plot-data.ts';
import { momentWords } from './timeline.tsx';

const HEIGHT = 210;

/** Room at the top for the names of the moments, in CSS pixels, and how many rows of them fit there. */
const MARK_ROOM = 46;
const MARK_ROWS = 3;
const MARK_ROW = 14;

/** The colours of the sheet in force. A canvas knows no custom properties, so they are read once for each drawing. */
interface Ink {
  readonly text: string;
  readonly line: string;
  readonly wanted: string;
  readonly read: string;
  readonly aside: string;
}

/**
 * Draws a plot into an element and keeps its width.
 * @returns what takes it away again
 */
export function drawPlot(element: HTMLElement, data: PlotData): () => void {
  const ink = inkOf(element);
  const plot = new UPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      padding: [MARK_ROOM, 20, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false }, y: { range: (_plot, low, high) => roomy(low ?? 0, high ?? 0) } },
      axes: [
        { ...axis(ink), size: 30, values: (_plot, ticks) => ticks.map((tick) => `${tick} s`) },
        {
          ...axis(ink),
          size: (plot, values) => Math.max(44, ...(values ?? []).map((value) => textWidth(plot, value) + 18)),
          ...heights(data),
        },
      ],
      series: [
        {},
        { stroke: () => ink.wanted, width: 2, dash: [6, 4], paths: stepped(), points: { show: false } },
        { stroke: () => ink.read, width: 2, paths: stepped(), spanGaps: true, points: points(() => ink.read) },
        { stroke: () => ink.aside, paths: () => null, points: { ...points(() => ink.aside), fill: 'transparent' } },
      ],
      hooks: { draw: [(drawn) => drawMarks(drawn, data.marks, ink)] },
    },
    [[...data.times], [...data.wanted], [...data.read], [...data.aside]],
    element,
  );
  const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  sizes.observe(element);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const recolour = () => {
    Object.assign(ink, inkOf(element));
    plot.redraw();
  };
  scheme.addEventListener('change', recolour);
  return () => {
    sizes.disconnect();
    scheme.removeEventListener('change', recolour);
    plot.destroy();
  };
}

function stepped(): UPlot.Series.PathBuilder {
  const build = UPlot.paths.stepped;
  if (!build) throw new Error('uPlot was built without stepped paths');
  return build({ align: 1 });
}

function points(colour: () => string): UPlot.Series.Points {
  return { show: true, size: 7, stroke: colour, fill: colour, width: 1.5 };
}

function axis(ink: Ink): UPlot.Axis {
  return {
    stroke: () => ink.text,
    grid: { stroke: () => ink.line, width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
}

/** Words stand at whole heights, numbers where they are. */
function heights({ words, field }: PlotData): UPlot.Axis {
  if (!words) return { values: (_plot, ticks) => ticks.map((tick) => show(tick, { unit: field.unit })) };
  return { splits: () => words.map((_word, index) => index), values: () => words.map(word) };
}

function roomy(low: number, high: number): [number, number] {
  const room = Math.max((high - low) * 0.15, 0.5);
  return [low - room, high + room];
}

function textWidth({ ctx }: UPlot, text: string): number {
  return ctx.measureText(text).width / devicePixelRatio;
}

/** A line for each marked moment, and its name above: on the first row where it does not meet another. */
function drawMarks({ ctx, bbox, valToPos }: UPlot, marks: readonly Mark[], ink: Ink): void {
  const scale = devicePixelRatio;
  const ends = new Array<number>(MARK_ROWS).fill(-Infinity);
  ctx.save();
  ctx.font = `${11 * scale}px system-ui, sans-serif`;
  ctx.fillStyle = ink.text;
  ctx.strokeStyle = ink.text;
  ctx.lineWidth = scale;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  for (const { atS, type } of marks) {
    const x = Math.round(valToPos(atS, 'x', true));
    const text = momentWords(type);
    const width = ctx.measureText(text).width;
    const left = Math.min(x, bbox.left + bbox.width - width);
    const free = ends.findIndex((end) => end < left);
    const row = free < 0 ? MARK_ROWS - 1 : free;
    const top = bbox.top - (row + 1) * MARK_ROW * scale;
    ends[row] = left + width + 6 * scale;
    ctx.globalAlpha = 0.45;
    ctx.beginPath();
    ctx.moveTo(x, top + (MARK_ROW - 2) * scale);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.fillText(text, left, top + (MARK_ROW - 4) * scale);
  }
  ctx.restore();
}

function inkOf(element: HTMLElement): Ink {
  const style = getComputedStyle(element);
  const colour = (part: string) => {
    // `light-dark()` is resolved in the colour of an element, not in a custom property.
    const probe = element.appendChild(document.createElement('i'));
    probe.className = `ink-${part}`;
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  return {
    text: style.color,
    line: colour('line'),
    wanted: colour('wanted'),
    read: colour('read'),
    aside: colour('aside'),
  };
}
