import { type DeviceSpec, KINDS } from '../domain/device.ts';
import type { Clock } from '../domain/time.ts';
import type { Tool } from './tool.ts';
import { answerTaskTool } from './tools/answer-task.ts';
import { cancelTaskTool } from './tools/cancel-task.ts';
import { getStateTool } from './tools/get-state.ts';
import { getTaskTool } from './tools/get-task.ts';
import { type SetToolOptions, setTool } from './tools/set-device.ts';

/** What the tools of a home need. */
export interface HomeToolsOptions extends SetToolOptions {
  readonly clock: Clock;
  /** Whether a model may answer the question that its own command raised. */
  readonly modelMayAnswer: boolean;
}

/**
 * The tools for the devices that there are: one control tool for each kind among them. Made anew only when `devices()`
 * gives another list or the owner has changed the rules, for every request asks for them.
 */
export function homeTools(options: HomeToolsOptions): () => readonly Tool[] {
  let made: { devices: readonly DeviceSpec[]; modelMayAnswer: boolean; tools: readonly Tool[] } | undefined;
  return () => {
    const { modelMayAnswer } = options;
    const devices = options.commands.devices();
    if (made?.devices !== devices || made.modelMayAnswer !== modelMayAnswer) {
      made = { devices, modelMayAnswer, tools: makeTools(devices, options) };
    }
    return made.tools;
  };
}

function makeTools(devices: readonly DeviceSpec[], options: HomeToolsOptions): readonly Tool[] {
  const { commands, clock, modelMayAnswer, stopping } = options;
  const setters = KINDS.flatMap((kind) => {
    const specs = devices.filter((spec) => spec.kind === kind);
    return specs.length > 0 ? [setTool(kind, specs, options)] : [];
  });
  return [
    getStateTool(commands, clock),
    ...setters,
    getTaskTool(commands, stopping),
    cancelTaskTool(commands),
    ...(modelMayAnswer ? [answerTaskTool(commands)] : []),
  ];
}
